/*
 * CPU time of a request to the whole service, compared with floors (minimal servers) in the same run.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/cost.ts [--listings 200000] [--rounds 5] [--database SQLite|PostgreSQL]
 *
 * Each server is pinned to one core, a PostgreSQL server to the same, and measured alone; the client runs on the other core. Figures are
 * medians of alternating rounds.
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

/** Maximum CPU time of a request by query, in milliseconds, computed from that of the floors. */
type Goals = Readonly<Record<string, (...floors: readonly number[]) => number>>;

/** Goals beside the floors `objects` and `json`. Full pages are compared with `json`, which is the faster floor. */
const sqliteGoals: Goals = {
  key: () => 0.25,
  "filter, sort, top 100": (objects = 0) => objects,
  "page of 1,000": (_, json = 0) => json,
  "count and 20": (objects = 0) => 1.2 * objects,
  "a page of the walk": (objects = 0) => objects,
};

/** Goals beside the floor `json` of PostgreSQL. */
const postgresGoals: Goals = {
  key: (json = 0) => 1.5 * json,
  "page of 1,000": (json = 0) => 1.5 * json,
};

/** A page of default size with all 946 members of each record, including nulls. */
const defaultPage: Query = { name: "946 fields", floor: () => "", service: () => collection };
const defaultPageGoals = [3, 20] as const;

const cell = ({ cpu, rate }: Cost) => `${number(cpu)} (${number(rate)}/s)`;

/** Prints the cost of each query on all subjects, of which the last is the service and the others are floors. */
const withFloors = (goals: Goals) => async (subjects: readonly Subject[]) => {
  const [first, ...others] = subjects;
  for (const query of queries) {
    for (const other of others) if (first !== undefined) await compare(query, first, other);
  }
  const names = subjects.map(({ name }) => name);
  const ratioNames = names.slice(0, -1).map((name) => name.replace("floor-", "÷ "));
  console.log(head("CPU ms a request", ...names, ...ratioNames, "goal"));
  for (const query of queries) {
    const costs = await measure(subjects, query, query.walk ? { ...method, rounds: 3 } : method);
    const floors = costs.map(({ cpu }) => cpu);
    const service = floors.pop() ?? Number.NaN;
    const ratios = floors.map((floor) => number(service / floor));
    const goal = goals[query.name]?.(...floors);
    console.log(
      line(query.name, ...costs.map(cell), ...ratios, goal === undefined ? "" : `≤ ${number(goal)}`),
    );
  }
};

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
const using = async (subjects: readonly Subject[], work: typeof withAllFields) => {
  started = subjects;
  await work(subjects);
  for (const { stop } of new Set(subjects)) await stop();
  started = [];
};
try {
  const listings = Number(given.listings);
  const isPostgres = given.database === "PostgreSQL";
  if (listings > 0)
    await (isPostgres
      ? using(await startPostgresSubjects(folder, listings), withFloors(postgresGoals))
      : using(await startSubjects(folder, listings), withFloors(sqliteGoals)));
  if (!isPostgres && given.dictionary !== "0")
    await using(await startDictionary(folder, Number(given.dictionary)), withAllFields);
} finally {
  for (const { stop } of started) await stop();
  await rm(folder, { recursive: true, force: true });
}
