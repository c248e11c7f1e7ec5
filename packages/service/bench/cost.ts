/*
 * CPU time of a request to the whole service, compared with floors (minimal servers) in the same run.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/cost.ts [--listings 200000] [--rounds 5] [--database SQLite|PostgreSQL]
 *
 * Each server is pinned to one core, a PostgreSQL server to the same, and measured alone; the client runs on the other core. Figures are medians of alternating rounds.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.ts";
import { compare } from "./compare.ts";
import type { Cost } from "./drive.ts";
import { type Method, measure } from "./measure.ts";
import { moveToClientCore } from "./processes.ts";
import { collection, type Query, queries } from "./queries.ts";
import { settingsOf } from "./settings.ts";
import { type Subject, startDictionary, startPostgresSubjects, startSubjects } from "./subjects.ts";
import { head, line, number } from "./table.ts";

const given = settingsOf({
  listings: "200000",
  dictionary: "5000",
  rounds: "5",
  warm: "6",
  seconds: "1.5",
  pages: "200",
  database: "SQLite",
});
const method: Method = {
  rounds: Number(given.rounds),
  warm: Number(given.warm),
  seconds: Number(given.seconds),
  pages: Number(given.pages),
};

/**
 * Maximum CPU time of a request, in milliseconds, computed from that of the floors `objects` and `json`. Full pages are compared with
 * `json`, which is the faster floor.
 */
const goals: Readonly<Record<string, (objects: number, json: number) => number>> = {
  key: () => 0.25,
  "filter, sort, top 100": (objects) => objects,
  "page of 1,000": (_, json) => json,
  "count and 20": (objects) => 1.2 * objects,
  "a page of the walk": (objects) => objects,
};

/** A page of default size with all 946 members of each record, including nulls. */
const defaultPage: Query = { name: "946 fields", floor: () => "", service: () => collection };
const defaultPageGoals = [3, 20] as const;

const cell = ({ cpu, rate }: Cost) => `${number(cpu)} (${number(rate)}/s)`;

/** Maximum CPU time of a request on PostgreSQL, compared with that of the floor. */
const postgresGoals: Readonly<Record<string, number>> = { key: 1.5, "page of 1,000": 1.5 };

const measured = (subjects: readonly Subject[], query: Query): Promise<readonly Cost[]> =>
  measure(subjects, query, query.walk ? { ...method, rounds: 3 } : method);

async function compareAll([first, ...others]: readonly Subject[]): Promise<void> {
  for (const query of queries) {
    for (const other of others) if (first !== undefined) await compare(query, first, other);
  }
}

async function withPostgresFloor(subjects: readonly Subject[]): Promise<void> {
  await compareAll(subjects);
  console.log(head("CPU ms a request, PostgreSQL", "floor-json", "service", "÷ json", "goal"));
  for (const query of queries) {
    const costs = await measured(subjects, query);
    const [floor = 0, service = 0] = costs.map(({ cpu }) => cpu);
    const goal = postgresGoals[query.name];
    console.log(
      line(query.name, ...costs.map(cell), number(service / floor), goal === undefined ? "" : `≤ ${goal}`),
    );
  }
}

async function withFloors(subjects: readonly Subject[]): Promise<void> {
  await compareAll(subjects);
  console.log(
    head("CPU ms a request", "floor-objects", "floor-json", "service", "÷ objects", "÷ json", "goal"),
  );
  for (const query of queries) {
    const costs = await measured(subjects, query);
    const [objects = 0, json = 0, service = 0] = costs.map(({ cpu }) => cpu);
    const goal = goals[query.name]?.(objects, json) ?? Number.NaN;
    const ratios = [number(service / objects), number(service / json), `≤ ${number(goal)}`];
    console.log(line(query.name, ...costs.map(cell), ...ratios));
  }
}

async function withAllFields(subjects: readonly Subject[]): Promise<void> {
  console.log(`\n${head("page of 100 records, 946 fields", "CPU ms", "a second", "MB", "goal")}`);
  const costs = await measure(subjects, defaultPage, method);
  for (const [i, { cpu, rate, bytes }] of costs.entries()) {
    const name = i === 0 ? "nothing masked" : "half of the fields masked by dataset";
    console.log(line(name, number(cpu), number(rate), number(bytes / 1e6), `≤ ${defaultPageGoals[i]}`));
  }
}

build();
moveToClientCore();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
let started: readonly Subject[] = [];
const using = async (subjects: readonly Subject[], work: typeof withFloors) => {
  started = subjects;
  await work(subjects);
  for (const { stop } of new Set(subjects)) await stop();
  started = [];
};
try {
  const listings = Number(given.listings);
  if (given.database === "PostgreSQL")
    await using(await startPostgresSubjects(folder, listings), withPostgresFloor);
  else if (listings > 0) await using(await startSubjects(folder, listings), withFloors);
  if (given.database === "SQLite" && given.dictionary !== "0")
    await using(await startDictionary(folder, Number(given.dictionary)), withAllFields);
} finally {
  for (const { stop } of started) await stop();
  await rm(folder, { recursive: true, force: true });
}
