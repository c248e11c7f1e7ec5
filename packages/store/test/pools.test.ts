import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createConnectionPool } from "../src/database/postgres-connections.ts";
import type { WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { slice } from "../src/read/scheduler.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";
import { ask, records, stored } from "./support/listings.ts";

const [connections, scanConnections, scans] = [8, 3, 12];
const homes = Array.from({ length: 10 }, (_, i) =>
  homeRecord({ key: `h${i}`, rank: i, town: `town ${i}`, place: null }),
);

test.skipIf(!hasPostgres)(
  "a pool that is being closed gives no connection, and says so at once",
  async () => {
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const options = { connections: 2, wait: 60_000, settings: {} };
    const pool = createConnectionPool({ connection: server.url, schemas: ["public"] }, options);
    await pool.raw("select 1");
    let isClosed = false;
    const closed = pool.destroy().finally(() => {
      isClosed = true;
    });
    const asked: Promise<unknown>[] = [];
    while (!isClosed) {
      asked.push(pool.raw("select 1").catch((error: unknown) => error));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closed;
    const late = new Promise((resolve) => void setTimeout(resolve, 5000, "late"));
    const answers = await Promise.race([Promise.all(asked), late]);
    expect(answers).toEqual(asked.map(() => expect.any(Error) as unknown));
  },
);

describe.skipIf(!hasPostgres)("look-ups beside scans", () => {
  let server: PostgresServer;
  let store: WritableStore;
  let control: pg.Pool;
  let locking: pg.PoolClient;
  beforeAll(async () => {
    server = await startPostgres();
    control = server.connect(2);
    store = await openPostgresStore({
      connection: server.url,
      resources: [homesResource, stored],
      connections,
      scanConnections,
      queue: scans - scanConnections,
      timeout: 30_000,
    });
    await store.commit([...homes, ...records]);
    locking = await control.connect();
  });
  afterAll(async () => {
    locking.release();
    await control.end();
    await store.close();
    await server.stop();
  });

  /** Backends that wait for a lock. */
  const blocked = async (): Promise<number> => {
    const { rows } = await control.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'",
    );
    return rows[0]?.n ?? 0;
  };
  const lock = (table: string) =>
    locking.query(`begin; lock table cadastre."${table}" in access exclusive mode`);
  const unlock = () => locking.query("rollback");
  afterEach(unlock);

  test.each([
    [
      "a text of the record is searched",
      (signal: AbortSignal) => store.page(ask({ filter: "contains(CountyOrParish,'x')" }), { signal }),
    ],
    ["all rows are counted", (signal: AbortSignal) => store.count(ask(), { signal })],
    [
      "a page comes with a count of all rows",
      (signal: AbortSignal) => store.page(ask(), { count: true, signal }),
    ],
    [
      "rows are sorted by what has no index",
      (signal: AbortSignal) => store.page(ask({ orderBy: "YearBuilt" }), { signal }),
    ],
    [
      "nobody waits for it",
      (signal: AbortSignal) => store.page(ask({ filter: "City eq 'Bend'" }), { background: true, signal }),
    ],
  ] as const)("wait for none where %s, even if no scan ends", async (_, scan) => {
    await lock("Property");
    const givenUp = Array.from({ length: scans }, () => new AbortController());
    const scanning = givenUp.map(({ signal }) => scan(signal).catch((error: unknown) => error));
    await expect.poll(blocked).toBe(scanConnections);
    expect(store.waiting()).toBe(scans - scanConnections);
    // More at once than there are connections for look-ups.
    const found = await Promise.all(
      homes.map(async (__, i) => {
        const one = await store.one(askHomes({ filter: `HomeKey eq 'h${i}'` }));
        const page = await store.page(askHomes({ filter: `Rank eq ${i}`, orderBy: "Rank,HomeKey" }));
        return one !== undefined && page.length === 1;
      }),
    );
    expect(found.every(Boolean)).toBe(true);
    expect(await blocked()).toBe(scanConnections);
    // The queue of scans is full, that of look-ups is not.
    await expect(store.count(ask())).rejects.toMatchObject({ code: "store_busy" });
    for (const one of givenUp) one.abort();
    for (const error of await Promise.all(scanning)) expect(error).toMatchObject({ code: "query_canceled" });
    await unlock();
  });

  test("by key go on where they are, however long they take", async () => {
    const before = store.used().scan.queries;
    await lock("Property");
    const found = store.one(ask({ filter: "ListingKey eq 'a'" }));
    await expect.poll(blocked).toBe(1);
    await new Promise((resolve) => void setTimeout(resolve, slice * 3));
    await unlock();
    expect(await found).toBeDefined();
    expect(store.used().scan.queries).toBe(before);
  });

  test("pages that take longer than a look-up may go on as scans", async () => {
    const before = store.used().scan.queries;
    await lock("Property");
    const page = store.page(ask({ filter: "City eq 'Bend'" }));
    await new Promise((resolve) => void setTimeout(resolve, slice * 3));
    await unlock();
    expect((await page).length).toBe(1);
    expect(store.used().scan.queries).toBe(before + 1);
  });

  test("have their own connections: the sum is what was asked for", async () => {
    const open = (sizes: { connections?: number; scanConnections?: number }) =>
      openPostgresStore({ connection: server.url, resources: [homesResource, stored], ...sizes });
    for (const sizes of [
      { connections: 4, scanConnections: 4 },
      { connections: 4, scanConnections: 0 },
      { connections: 0 },
    ])
      await expect(open(sizes)).rejects.toThrow(RangeError);
    const small = await open({ connections: 1 });
    expect(
      await Promise.all([small.count(ask()), small.count(ask({ filter: "ListingKey eq 'a'" }))]),
    ).toEqual([6, 1]);
    await small.close();
  });
});
