import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoredRecord } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { stored, texas } from "./support/listings.ts";

const resources = [
  { ...stored, counted: { system: "OriginatingSystemName", places: [{ column: "StateOrProvince" }] } },
];
const resource = "Property";
const [all, some] = [5000, 1000];

const listings = (count: number, city: string): readonly StoredRecord[] =>
  Array.from({ length: count }, (_, i) => ({
    resource,
    datasetId: texas,
    record: {
      ListingKey: String(i),
      ModificationTimestamp: "2024-05-01T10:00:00.000Z",
      OriginatingSystemName: "Texas",
      StateOrProvince: "TX",
      City: city,
    },
  }));

describe.skipIf(!hasPostgres)("a publication", () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = server.connect(1);
    await pool.query("alter system set autovacuum = off");
    await pool.query("select pg_reload_conf()");
    const store = await openPostgresStore({ connection: server.url, resources });
    await store.commit(listings(all, "Austin"));
    await store.builds.publish([resource]);
    await store.close();
    await pool.query("vacuum analyze");
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  /** Publishes changes of the first listings, on connections that are closed afterwards: then the server has counted what they did. */
  async function publish(city: string): Promise<void> {
    const store = await openPostgresStore({ connection: server.url, resources });
    await store.builds.stage(resource, "mls", listings(some, city), { cursor: city });
    const check = () => ({ passed: true, evidence: null });
    expect(await store.builds.publish([resource], check, { rehearse: true })).toMatchObject({
      commit: { written: some },
    });
    await store.close();
  }

  const deadRows = async () => {
    const { rows } = await pool.query<{ name: string; dead: number }>(
      `select relname as name, n_dead_tup::int as dead from pg_stat_user_tables where n_dead_tup > 0`,
    );
    return new Map(rows.map(({ name, dead }) => [name, dead]));
  };

  test("leaves one dead row for each change, and few others", async () => {
    await publish("Waco");
    await expect.poll(async () => (await deadRows()).get("Property")).toBe(some);
    const dead = [...(await deadRows()).values()].reduce((sum, one) => sum + one, 0);
    expect(dead).toBeLessThanOrEqual(1.2 * some);
  });

  test("deletes the staged changes while somebody reads them, and does not wait", async () => {
    const reader = await pool.connect();
    await reader.query(`begin; lock table cadastre."Property_staged" in access share mode`);
    await publish("Bend");
    await reader.query("rollback");
    const { rows } = await reader.query<{ rows: number }>(
      `select count(*)::int as rows from cadastre."Property_staged"`,
    );
    reader.release();
    expect(rows).toEqual([{ rows: 0 }]);
    await expect.poll(async () => (await deadRows()).get("Property_staged")).toBe(some);
  });

  test("updates counters in place (HOT), in tables whose pages have room", async () => {
    const { rows } = await pool.query(
      `select relname as name, reloptions as options from pg_class where relname in ('Property', 'cadastre_source') order by 1`,
    );
    expect(rows).toEqual([
      {
        name: "Property",
        options: expect.arrayContaining(["autovacuum_vacuum_scale_factor=0.02"]) as unknown,
      },
      { name: "cadastre_source", options: expect.arrayContaining(["fillfactor=50"]) as unknown },
    ]);
    const counted = await pool.query(
      `select relname as name from pg_stat_user_tables where n_tup_hot_upd < n_tup_upd
       and relname in ('cadastre_source', 'cadastre_coverage', 'cadastre_coverage_atom', 'cadastre_digest')`,
    );
    expect(counted.rows).toEqual([]);
  });
});
