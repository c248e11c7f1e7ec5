import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { load } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { lakeKeys, lakeSchema } from "./support/lake.ts";
import { start } from "./support/program.ts";
import { apiKey, startServer, type TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const documents = { schema: lakeSchema };
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, k) => ({
    ListingKey: `L${from + k}`,
    ListPrice: from + k,
    OriginatingSystemName: `system ${k % 3}`,
  }));
const seed = await seedAfter(undefined, { documents, datasets: { listing: rows(10, 40) } });
const delta = await deltaAfter(seed, {
  documents,
  datasets: { listing: rows(40, 42) },
  removals: { listing: ["L10"] },
});
const views = [undefined, rows(10, 40), rows(11, 42)].map((view) =>
  view?.map(({ ListingKey }) => ListingKey).join(),
);
const preload = fileURLToPath(new URL("./support/kill-at-file.mjs", import.meta.url));

/** Points at which it is killed, evenly; each change of a file is one where there are more cases. */
const points = 8 * Math.min(20, Number(process.env["CASES"] ?? 1));

test.each([
  ["seed", seed, [], [views[0], views[1]]],
  ["delta", delta, [seed], [views[1], views[2]]],
] as const)(
  "a load of a %s that is killed at any change of a file leaves the old version or the new one, and is done again",
  async (_, delivery, loaded, [before, after]) => {
    const begin = async () => {
      server.deliveries.clear();
      const folder = join(emptyFolder(), "lake");
      for (const one of loaded) await load(server, `parquet:${folder}`, one);
      server.deliveries.set(delivery.manifest.deliveryId, delivery);
      return folder;
    };
    const followUntil = async (folder: string, killAt: number): Promise<number> => {
      const staging = emptyFolder();
      const count = join(staging, "count");
      const flags = [
        "--subscription",
        subscription,
        "--url",
        server.url,
        "--into",
        `parquet:${folder}`,
        "--once",
      ];
      const env = {
        CADASTRE_API_KEY: apiKey,
        NODE_OPTIONS: `--import=${preload}`,
        KILL_AT: String(killAt),
        KILL_BELOW: folder,
        KILL_COUNT: count,
      };
      let ended = false;
      const { outcome } = start(["follow", ...flags, "--staging", join(staging, "staging")], { env });
      const running = outcome.finally(() => {
        ended = true;
      });
      // Whoever reads meanwhile sees a whole version.
      while (!ended) {
        expect([before, after]).toContain(await lakeKeys(folder));
        await setTimeout(20);
      }
      expect((await running).code).toBe(killAt === 0 ? 0 : null);
      return killAt === 0 ? Number(readFileSync(count, "utf8")) : 0;
    };
    const whole = await begin();
    const changes = await followUntil(whole, 0);
    expect(await lakeKeys(whole)).toBe(after);
    expect(changes).toBeGreaterThan(8);
    const ends = new Set<string | undefined>();
    for (let k = 1; k <= Math.min(points, changes); k++) {
      const folder = await begin();
      await followUntil(folder, points >= changes ? k : Math.ceil((changes * k) / points));
      const left = await lakeKeys(folder);
      ends.add(left);
      expect(await load(server, `parquet:${folder}`, delivery)).toBe(left === after ? "done" : "new");
      expect(await lakeKeys(folder)).toBe(after);
      // Nothing of the killed run is left: the versions are those of the loads.
      const versions = readdirSync(folder).filter((name) => name.startsWith("version-"));
      expect(versions).toHaveLength(loaded.length + 1);
    }
    expect(ends).toEqual(new Set([before, after]));
  },
  900_000,
);
