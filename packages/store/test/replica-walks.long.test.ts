import { setTimeout as wait } from "node:timers/promises";
import {
  hasPostgres,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@cadastre/odata/testing";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { askHomes, homeRecord, homesResource, scopeOfCustomer } from "./support/homes.ts";

const resources = [homesResource];
const count = 300;
/** Duration in seconds. */
const duration = Number(process.env["REPLICA_SECONDS"] ?? 5);
const walkers = 3;

const random = (below: number) => Math.floor(Math.random() * below);
const keyOf = (i: number) => `h${String(i).padStart(3, "0")}`;
/** All homes, in a random order by rank. */
const shuffled = () => {
  const step = 1 + 2 * random(count);
  return Array.from({ length: count }, (_, i) =>
    homeRecord({ key: keyOf(i), rank: (i * step + random(3)) % 1000, place: null }),
  );
};

describe.skipIf(!hasPostgres)("walks over two standbys that stop and go at random", () => {
  let primary: PostgresServer;
  let standbys: readonly PostgresServer[];
  let proxies: readonly TcpProxy[];
  let controls: readonly Pool[];
  let operator: Pool;
  let writing: WritableStore;
  let store: WritableStore;

  beforeAll(async () => {
    primary = await startPostgres();
    writing = await openPostgresStore({ connection: primary.url, resources });
    await writing.commit(shuffled());
    standbys = [await primary.startStandby(), await primary.startStandby()];
    proxies = await Promise.all(standbys.map(({ url }) => startTcpProxy(url)));
    controls = standbys.map((standby) => standby.connect(1));
    operator = primary.connect(1);
    // Replay waits for no read: it cancels those that see the rows which are vacuumed.
    for (const control of controls) {
      await control.query("alter system set max_standby_streaming_delay = 0");
      await control.query("select pg_reload_conf()");
    }
    store = await openPostgresStore({
      connection: primary.url,
      resources,
      replicas: standbys.map(({ url }, i) => proxies[i]?.through(url) ?? ""),
    });
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await writing.close();
    await Promise.all([...controls, operator].map((pool) => pool.end()));
    await Promise.all([...proxies, ...standbys, primary].map((one) => one.stop()));
  });

  /** Tries again where replay cancels this statement too. */
  const controlReplay = async (i: number, action: "pause" | "resume"): Promise<unknown> =>
    controls[i]?.query(`select pg_wal_replay_${action}()`).catch(() => controlReplay(i, action));

  test(
    "meet each key once, in states that are never older than those before, and without an error",
    async () => {
      let isOver = false;
      const until = async (work: () => Promise<unknown>) => {
        while (!isOver) await work();
      };
      const writer = until(async () => {
        await writing.commit(shuffled());
        if (random(3) === 0) await operator.query(`vacuum cadastre."Home", cadastre."Home_closed"`);
        await wait(random(40));
      });
      const disturbing = standbys.map(({ url }, i) =>
        until(async () => {
          await wait(random(100));
          await controlReplay(i, "pause");
          await wait(random(150));
          if (random(15) === 0) {
            if (random(2) === 0) proxies[i]?.lead();
            else proxies[i]?.hold();
            await wait(random(100));
            proxies[i]?.lead(url);
          }
          await controlReplay(i, "resume");
        }),
      );
      const seen: Record<string, number> = {};
      const watching = until(async () => {
        for (const { state } of store.replicas()) seen[state] = (seen[state] ?? 0) + 1;
        await wait(20);
      });
      let walks = 0;
      const walking = Array.from({ length: walkers }, async (_, nth) => {
        const scope = scopeOfCustomer(`customer ${nth}`);
        const pages = askHomes({ orderBy: "Rank,HomeKey", top: 40 }, scope);
        let last = 0;
        await until(async () => {
          const keys: string[] = [];
          let page = await store.page(pages);
          const { checkpoint = 0 } = page.next ?? {};
          expect(checkpoint).toBeGreaterThanOrEqual(last);
          last = checkpoint;
          for (;;) {
            keys.push(
              ...(Buffer.from(page.records)
                .toString()
                .match(/h\d{3}/g) ?? []),
            );
            if (page.next === null) break;
            page = await store.page(pages, { from: page.next });
          }
          expect([keys.length, new Set(keys).size]).toEqual([count, count]);
          expect(await store.count(askHomes({}, scope))).toBe(count);
          walks += 1;
        });
      });
      const all = [writer, watching, ...disturbing, ...walking];
      try {
        await Promise.race([wait(duration * 1000), ...all]);
      } finally {
        isOver = true;
        // All must have ended before the pools do.
        await Promise.allSettled(all);
      }
      await Promise.all(all);
      expect(walks).toBeGreaterThan(walkers);
      // They were in use, but not always.
      expect(seen["used"]).toBeGreaterThan(0);
      const conflicts = await Promise.all(
        controls.map((control) =>
          control.query<{ n: string }>("select sum(confl_snapshot) as n from pg_stat_database_conflicts"),
        ),
      );
      const canceled = conflicts.reduce((sum, { rows }) => sum + Number(rows[0]?.n), 0);
      console.info(`${walks} walks, ${canceled} reads canceled by replay, standbys`, seen);
    },
    duration * 1000 + 60_000,
  );
});
