import { setTimeout as wait } from "node:timers/promises";
import {
  hasPgbouncer,
  hasPostgres,
  type Pgbouncer,
  type PostgresServer,
  startPgbouncer,
  startPostgres,
} from "@cadastre/odata/testing";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";

const homes = Array.from({ length: 3000 }, (_, i) =>
  homeRecord({
    key: `h${i}`,
    rank: i,
    town: `a town that is called ${i} and nothing else`.repeat(5),
    place: null,
  }),
);
/** Takes some milliseconds, so that it ends about when it is canceled. */
const short = askHomes({ filter: "contains(tolower(Town),'nowhere') or contains(Town,'called 7')", top: 1 });
const byKey = askHomes({ filter: "HomeKey eq 'h7'" });

describe.skipIf(!hasPostgres)("a query that is given up", () => {
  let server: PostgresServer;
  let pooler: Pgbouncer | undefined;
  let control: pg.Pool;
  let locking: pg.PoolClient;
  beforeAll(async () => {
    server = await startPostgres();
    control = server.connect(2);
    locking = await control.connect();
    if (hasPgbouncer) pooler = await startPgbouncer(server.url, 4);
    const store = await openPostgresStore({ connection: server.url, resources: [homesResource] });
    await store.commit(homes);
    await store.close();
  });
  afterEach(() => locking.query("rollback"));
  afterAll(async () => {
    locking.release();
    await pooler?.stop();
    await control.end();
    await server.stop();
  });

  /** Backends that run a statement of the store. */
  const active = async (): Promise<number> => {
    const { rows } = await control.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() and query like '%Home%'",
    );
    return rows[0]?.n ?? 0;
  };

  describe.each([
    { name: "with its own connection", url: () => server.url, statements: "named" as const, skip: false },
    {
      name: "behind a pooler",
      url: () => pooler?.url ?? "",
      statements: "unnamed" as const,
      skip: !hasPgbouncer,
    },
  ])("$name", ({ url, statements, skip }) => {
    let store: WritableStore;
    beforeAll(async () => {
      if (skip) return;
      store = await openPostgresStore({
        connection: url(),
        statements,
        connections: 1,
        resources: [homesResource],
        timeout: 60_000,
      });
      await store.page(byKey);
    });
    afterAll(() => (skip ? undefined : store.close()));

    test.skipIf(skip)(
      "frees its connection and ends in the server, although it waits there for a lock",
      async () => {
        await locking.query('begin; lock table cadastre."Home" in access exclusive mode');
        const giveUp = new AbortController();
        const given = store.page(askHomes({}), { signal: giveUp.signal });
        await expect.poll(() => active()).toBe(1);
        giveUp.abort();
        await expect(given).rejects.toMatchObject({ code: "query_canceled" });
        expect(await active()).toBe(0);
        // The only connection is free: the table is still locked.
        expect(await store.checkpoint()).toBe(1);
      },
    );

    test.skipIf(skip)(
      "never takes the next one on its connection with it",
      async () => {
        const outcomes = { canceled: 0, answered: 0 };
        let longest = 20;
        // Both must happen, so that requests come before, within and after statements.
        for (let i = 0; i < 150 || Math.min(outcomes.canceled, outcomes.answered) <= 10; i += 1) {
          const giveUp = new AbortController();
          const start = performance.now();
          const given = store.page(short, { signal: giveUp.signal });
          const next = store.page(byKey);
          await wait(Math.random() * longest);
          giveUp.abort();
          await given.then(
            () => {
              outcomes.answered += 1;
              longest = performance.now() - start;
            },
            (error: unknown) => {
              expect(error).toMatchObject({ code: "query_canceled" });
              outcomes.canceled += 1;
            },
          );
          expect((await next).length).toBe(1);
          expect((await store.page(byKey)).length).toBe(1);
        }
      },
      60_000,
    );
  });
});
