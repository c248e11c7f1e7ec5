import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "./support/deliveries.ts";
import { withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere, start } from "./support/program.ts";
import { byKey, type ReplicaPlace, replicaPlaces } from "./support/replicas.ts";
import { apiKey, startServer, type TestServer } from "./support/server.ts";
import { type TrackedSet, trackedSet } from "./support/tracked-set.ts";

/** Statements at which a run is killed, of each kind: `CASES=30` takes more. */
const points = Number(process.env["CASES"] ?? 3);

const preload = fileURLToPath(new URL("./support/kill-at.mjs", import.meta.url));

withPostgres();
let server: TestServer;
let set: TrackedSet;
beforeEach(async () => {
  server = await startServer();
  set = trackedSet();
  server.trick = set.trick;
});
afterEach(() => server.close());

const listing = (k: number, price: number): Row => ({
  ListingKey: `K${k}`,
  ListPrice: price,
  ModificationTimestamp: `2026-01-0${price}T00:00:${String(k).padStart(2, "0")}.000Z`,
});
const listings = (from: number, to: number, price: number) =>
  Array.from({ length: to - from }, (_, k) => listing(from + k, price));

describe.each(replicaPlaces.filter(({ isAbsent, isDatabase }) => isDatabase && !isAbsent))(
  "$name",
  ({ name, begin }) => {
    const args = ({ target }: ReplicaPlace) => [
      "replicate",
      "Property",
      "--url",
      server.url,
      "--into",
      target,
    ];

    /** Runs the program, which is killed before a statement; 0: returns the number of the last commit. */
    async function runUntil(place: ReplicaPlace, killAt: number): Promise<number> {
      const commits = join(emptyFolder(), "commits.json");
      const env = {
        CADASTRE_API_KEY: apiKey,
        NODE_OPTIONS: `--import=${preload}`,
        KILL_AT: String(killAt),
        KILL_DRIVER: name,
        KILL_COMMITS: commits,
      };
      const { code, stderr } = await start(args(place), { env }).outcome;
      expect({ code, stderr }).toMatchObject({ code: killAt === 0 ? 0 : null });
      return killAt === 0 ? Number((JSON.parse(readFileSync(commits, "utf8")) as number[]).at(-1)) : 0;
    }

    /** A copy of the state before, and the state after it in the service. */
    async function prepared(isPruned: boolean): Promise<ReplicaPlace> {
      const place = await begin();
      set.remove(...set.rows().map((row) => String(row["ListingKey"])));
      set.put(...listings(0, 10, 1));
      expect((await runHere(args(place))).code).toBe(0);
      set.put(...listings(4, 14, 2));
      set.remove("K0", "K5", "K9");
      if (isPruned) set.prune();
      return place;
    }

    test.each([
      ["a delta", false],
      ["a walk over the copy", true],
    ])(
      "a run that is killed at any statement of %s goes on to what the service has",
      async (_, isPruned) => {
        const last = await runUntil(await prepared(isPruned), 0);
        expect(last).toBeGreaterThan(points);
        for (let k = 1; k <= points; k++) {
          const place = await prepared(isPruned);
          await runUntil(place, Math.ceil((last * k) / points));
          expect((await place.rows()).length).toBeGreaterThanOrEqual(7);
          set.put(listing(2, 3));
          set.remove("K6");
          // The rest of what was begun, and what has changed since.
          for (let runs = 0; runs < 2; runs++) expect((await runHere(args(place))).code).toBe(0);
          expect(await place.rows()).toEqual(byKey(set.rows()));
        }
      },
      60_000 + points * 30_000,
    );
  },
);
