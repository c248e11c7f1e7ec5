import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { listings } from "./support/deliveries.ts";
import { type Emptied, engines, load, withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { start } from "./support/program.ts";
import { apiKey, startServer, type TestServer } from "./support/server.ts";

let server: TestServer;
withPostgres();
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** Points from the first statement of a load to its commit at which it is killed, and one after the commit. */
const points = Math.min(25, Number(process.env["CASES"] ?? 1));

const media = (from: number) =>
  Array.from({ length: 20 }, (_, k) => ({ MediaKey: `m${from + k}`, Order: k }));
const options = { rowsPerPart: 30 };
const old = await seedAfter(undefined, {
  ...options,
  datasets: { listing: listings(40), listing_media: media(0) },
});
const seed = await seedAfter(old, {
  ...options,
  datasets: { listing: listings(90, 20), listing_media: media(10) },
});
const delta = await deltaAfter(seed, {
  ...options,
  datasets: { listing: listings(30, 100), listing_media: media(40) },
  removals: { listing: ["LSM_000020"], listing_media: ["m10"] },
});

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => from + k);
const viewOf = (rows: readonly number[], mediaRows: readonly number[], loads: number) =>
  [
    ...rows.map((k) => `LSM_${String(k).padStart(6, "0")}`),
    ...mediaRows.map((k) => `m${k}`).toSorted(),
    `${loads}`,
  ].join();
/** The copy after each delivery. */
const views = [
  viewOf(range(0, 40), range(0, 20), 1),
  viewOf(range(20, 110), range(10, 30), 2),
  viewOf(range(21, 130), [...range(11, 30), ...range(40, 60)], 3),
];

/** The keys of both tables and the number of loads, as one statement sees them. */
async function viewIn(all: Emptied["all"]): Promise<string> {
  const rows = await all(`select 1 as t, "ListingKey" as k from listing union all
    select 2, "MediaKey" from listing_media union all
    select 3, cast(count(*) as varchar(9)) from cadastre_loads order by 1, 2`);
  return rows.map(({ k }) => String(k)).join();
}

const preload = fileURLToPath(new URL("./support/kill-at.mjs", import.meta.url));

/** Evenly up to the commit of the load, from the commit before it, and the statement after that of the load. */
function statementsOf(commits: readonly number[]): readonly number[] {
  const starts = [0, ...commits];
  const lengths = commits.map((commit, k) => commit - (starts[k] ?? 0));
  const longest = lengths.indexOf(Math.max(...lengths));
  const [from, to] = [starts[longest] ?? 0, commits[longest] ?? 0];
  expect(to - from).toBeGreaterThan(points);
  return [...range(0, points).map((k) => from + Math.ceil(((to - from) * (k + 1)) / points)), to + 1];
}

describe.each(engines)("$name", ({ name, begin, isAbsent }) => {
  /** Follows in a program of its own, which is killed before a statement; 0: the answer is which were commits. */
  async function followUntil({ target, all }: Emptied, killAt: number, known: readonly string[]) {
    const folder = emptyFolder();
    const commits = join(folder, "commits.json");
    const flags = ["--subscription", subscription, "--url", server.url, "--into", target, "--once"];
    const env = {
      CADASTRE_API_KEY: apiKey,
      NODE_OPTIONS: `--import=${preload}`,
      KILL_AT: String(killAt),
      KILL_DRIVER: name,
      KILL_COMMITS: commits,
    };
    const program = start(["follow", ...flags, "--staging", join(folder, "staging")], { env });
    const seen = new Set<string>();
    let ended = false;
    const outcome = program.outcome.finally(() => {
      ended = true;
    });
    // Whoever reads meanwhile sees a whole copy. A DuckDB file has one program at a time.
    while (!ended) {
      if (name !== "DuckDB") seen.add(await viewIn(all));
      await setTimeout(5);
    }
    const { code, stderr } = await outcome;
    expect({ code, stderr }).toMatchObject({ code: killAt === 0 ? 0 : null });
    for (const view of seen) expect(known).toContain(view);
    return killAt === 0 ? (JSON.parse(readFileSync(commits, "utf8")) as number[]) : [];
  }

  test.skipIf(isAbsent).each([
    ["seed", seed, [old]],
    ["delta", delta, [old, seed]],
  ] as const)(
    "a load of a %s that is killed at any statement leaves the old copy or the new one, and is done again",
    async (_, delivery, loaded) => {
      const [before = "", after = ""] = views.slice(loaded.length - 1);
      const places = async () => {
        server.deliveries.clear();
        const place = await begin();
        for (const one of loaded) await load(server, place.target, one);
        server.deliveries.set(delivery.manifest.deliveryId, delivery);
        return place;
      };
      const whole = await places();
      const commits = await followUntil(whole, 0, [before, after]);
      expect(await viewIn(whole.all)).toBe(after);
      const left: string[] = [];
      for (const killAt of statementsOf(commits)) {
        const place = await places();
        await followUntil(place, killAt, [before, after]);
        left.push(await viewIn(place.all));
        expect(await load(server, place.target, delivery)).toBe(left.at(-1) === after ? "done" : "new");
        expect(await viewIn(place.all)).toBe(after);
      }
      expect(left).toEqual([...Array<string>(points).fill(before), after]);
    },
    900_000,
  );
});
