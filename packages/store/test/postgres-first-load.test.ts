import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPostgresStore, type PostgresStoreOptions } from "../src/postgres/index.ts";
import type { WritableStore } from "../src/writable-store.ts";
import { listing, oregon, stored, texas } from "./support/listings.ts";

const resource = "Property";
const resources = [stored];

/** Ten batches of a commit, so that what they read of their table grows by the square of their number unless they look up keys. */
const count = 20_000;
const records = Array.from({ length: count }, (_, i) =>
  listing(`key-${i}`, "Austin", i % 2 === 0 ? texas : oregon),
);

describe.skipIf(!hasPostgres)("the first load of a table", () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let schema: string;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
    pool = server.connect(1);
    // Its statistics would help after a minute, which a load does not wait for.
    await pool.query("alter system set autovacuum = off");
    await pool.query("select pg_reload_conf()");
  });
  beforeEach(() => {
    schema = `first_${++schemas}`;
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Returns how many rows and index entries `work` has read, by table, on connections that are closed afterwards: then the server has counted. */
  async function readsOf(
    work: (store: WritableStore) => Promise<unknown>,
    options: Partial<PostgresStoreOptions> = {},
  ): Promise<Record<string, number>> {
    const store = await openPostgresStore({ connection: server.url, schema, resources, ...options });
    const before = await counted();
    await work(store);
    await store.close();
    const ended = "select count(*)::int as open from pg_stat_activity where backend_type = 'client backend'";
    await expect.poll(async () => (await pool.query<{ open: number }>(ended)).rows[0]?.open).toBe(1);
    const after = await counted();
    return Object.fromEntries(after.map(([name, read], i) => [name, read - (before[i]?.[1] ?? 0)]));
  }

  async function counted(): Promise<readonly (readonly [table: string, read: number])[]> {
    const { rows } = await pool.query<{ name: string; read: number }>(
      `select relname as name, (seq_tup_read + coalesce((select sum(idx_tup_read) from pg_stat_user_indexes as "index"
        where "index".relid = "table".relid), 0))::int as read
        from pg_stat_user_tables as "table" where schemaname = $1 and relname in ('Property', 'Property_staged') order by 1`,
      [schema],
    );
    return rows.map(({ name, read }) => [name, read]);
  }

  test("reads no more of it by the last batches of a commit than by the first", async () => {
    const read = await readsOf((store) => store.commit(records));
    expect(read["Property"]).toBeLessThanOrEqual(6 * count);
  });

  test("does so although the connection has made small commits before", async () => {
    const read = await readsOf(async (store) => {
      for (let i = 0; i < 10; i++) await store.commit([listing(`small-${i}`, "Bend")]);
      await store.commit(records);
    });
    expect(read["Property"]).toBeLessThanOrEqual(6 * count);
  });

  test("leaves statistics of the tables although they belong to another role", async () => {
    const owner = await openPostgresStore({ connection: server.url, schema, resources });
    await owner.commit([listing("small", "Bend")]);
    await owner.close();
    await pool.query(`create role writer login; grant usage on schema ${schema} to writer;
      grant select, insert, update, delete on all tables in schema ${schema} to writer`);
    const writer = { connection: server.url.replace("postgres@", "writer@"), existing: true };
    const read = await readsOf((store) => store.commit(records), writer);
    expect(read["Property"]).toBeLessThanOrEqual(6 * count);
    const { rows } = await pool.query<{ records: number }>(
      `select reltuples::int as records from pg_class where oid = '${schema}."Property"'::regclass`,
    );
    expect(rows).toEqual([{ records: 1 + count }]);
  });

  test("stages batches, and publishes them, without reading all that is staged for each", async () => {
    const size = count / 10;
    const staged = await readsOf(async (store) => {
      for (let i = 0; i < count; i += size)
        await store.builds.stage(resource, "mls", records.slice(i, i + size), { cursor: String(i) });
    });
    expect(staged["Property_staged"]).toBeLessThanOrEqual(2 * count);
    const published = await readsOf((store) => store.builds.publish([resource]));
    expect(published["Property_staged"]).toBeLessThanOrEqual(2 * count);
    // The candidate's digest and coverage are made of all records of a first build.
    expect(published["Property"]).toBeLessThanOrEqual(10 * count);
  });
});
