import type { RestrictedQuery } from "@cadastre/entitlement";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { constant } from "@cadastre/odata/tree";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WritableStore } from "../src/index.ts";
import { runTogether } from "../src/postgres/connection/session.ts";
import { openPostgresStore, type PostgresStoreOptions, type Wall } from "../src/postgres/index.ts";
import type { Run } from "../src/postgres/read/reading-place.ts";
import { runWithin } from "../src/postgres/wall/scope.ts";
import { keysOfJson } from "./support/keys.ts";
import {
  allOf,
  datasets,
  type Granted,
  grantedKeys,
  walledNames,
  walledResources,
  walledRows,
  walledScope,
} from "./support/walled.ts";

const regions: fc.Arbitrary<Granted["regions"]> = fc.uniqueArray(
  fc.constantFrom(
    { kind: "national", value: "US" } as const,
    { kind: "state", value: "TX" } as const,
    { kind: "state", value: "OR" } as const,
    { kind: "county", value: "TX/Travis" } as const,
    { kind: "county", value: "OR/Lane" } as const,
    { kind: "zip", value: "78701" } as const,
    { kind: "originating_system", value: "O'Fallon" } as const,
  ),
  { minLength: 1, maxLength: 3 },
);
const scopes = fc
  .record({
    regions,
    private: fc.subarray([...datasets]),
    datasets: fc.dictionary(
      fc.constantFrom(...datasets),
      fc.uniqueArray(fc.constantFrom(...walledNames), { minLength: 1 }),
      { minKeys: 1 },
    ),
  })
  .map(walledScope);

const texas = walledScope({
  regions: [{ kind: "state", value: "TX" }],
  datasets: { [datasets[0]]: ["Property", "Media"] },
});

describe.skipIf(!hasPostgres)("a wall", () => {
  let server: PostgresServer;
  let store: WritableStore;
  let raw: pg.Client;

  const open = (options: Partial<PostgresStoreOptions> & { readonly wall: Wall }) =>
    openPostgresStore({ connection: server.url, resources: walledResources, ...options });
  /** A connection as the store's readers have it. */
  const connect = async (schema: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`set role reader; set search_path to ${schema}_wall, ${schema}`);
    return client;
  };
  const fill = async (into: WritableStore) => {
    for (const remarks of ["old", "new"])
      await into.commit(
        Object.values(walledRows(remarks)).flatMap((rows) => rows.map(({ stored }) => stored)),
      );
  };
  const run: Run = (queries) => runTogether(raw, queries);
  const rowsOf = async (statement: string): Promise<readonly unknown[]> =>
    (await raw.query<Readonly<Record<string, unknown>>>(statement)).rows;
  /** Keys that a raw statement over all of a table finds, behind the wall of a query. */
  const keysIn = async (table: string, query: RestrictedQuery): Promise<readonly string[]> => {
    const keys: string[] = [];
    await runWithin(
      query,
      run,
    )([{ text: `select "Key" from "${table}"`, values: [], onRow: ([key]) => keys.push(String(key)) }]);
    return keys.toSorted();
  };

  beforeAll(async () => {
    server = await startPostgres();
    const pool = server.connect(1);
    for (const role of ["reader", "curious"]) await pool.query(`create role ${role}`);
    await pool.end();
    store = await open({ wall: { role: "reader" } });
    await fill(store);
    raw = await connect("cadastre");
  });
  afterAll(async () => {
    await raw.end();
    await store.close();
    await server.stop();
  });

  test("shows a statement without any condition the rows that the scope grants, and no other", () =>
    fc.assert(
      fc.asyncProperty(scopes, fc.constantFrom(...walledNames), async (scope, name) => {
        const granted = grantedKeys(name, scope);
        expect(await keysIn(name, allOf(name, scope))).toEqual(granted);
        expect(await keysIn(`${name}_closed`, allOf(name, scope))).toEqual(granted);
      }),
      { numRuns: 150 },
    ));

  test("shows nothing without a scope, and none is left by the query before", async () => {
    const all = () => rowsOf(`select "Key" from "Property"`);
    expect(await all()).toEqual([]);
    expect((await keysIn("Property", allOf("Property", texas))).length).toBeGreaterThan(0);
    expect(await all()).toEqual([]);
    await raw.query("begin");
    await raw.query(`select set_config('cadastre.scope', '{}', true)`);
    expect(await all()).toEqual([]);
    await raw.query("rollback");
  });

  test("shows nothing of a dataset that the scope does not name, nor of another resource", async () => {
    const query = allOf("Property", texas);
    expect(await keysIn("Member", query)).toEqual([]);
    expect((await keysIn("Property", query)).every((key) => key.startsWith("Property-9f"))).toBe(true);
  });

  test.each([
    [`select 1 from cadastre."Property"`],
    [`select 1 from cadastre."Property_closed"`],
    ["select 1 from cadastre.cadastre_note"],
    ["select 1 from cadastre.cadastre_commit_dataset"],
    [`update "Property" set "Key" = 'x'`],
    [`delete from cadastre_commit`],
  ])("refuses its role %s", async (statement) => {
    await expect(raw.query(statement)).rejects.toThrow("permission denied");
  });

  test("shows of the notes how far versions are forgotten", async () => {
    await store.notes.set("secret", "canary");
    expect(await rowsOf("select * from cadastre_note")).toEqual([]);
    await store.prune(1);
    expect(await rowsOf("select * from cadastre_note")).toEqual([]);
  });

  /** What a fault of this process could hand to a store. */
  const forgeries: Readonly<Record<string, (query: RestrictedQuery) => RestrictedQuery>> = {
    "a copy of one": (query) => Object.assign({}, query, { filter: constant(true) }),
    "one that was changed": (query) => Object.assign(query, { filter: constant(true) }),
  };

  test.each(Object.entries(forgeries))("stands where a restricted query is %s", async (name, forge) => {
    const granted = name === "a copy of one" ? [] : grantedKeys("Property", texas);
    const query = () => forge(allOf("Property", texas, 7));
    const met: string[] = [];
    for (let page = await store.page(query(), { count: true }); ; ) {
      expect(page.count).toBe(granted.length);
      met.push(...keysOfJson(page.records).map(String));
      if (page.next === null) break;
      page = await store.page(query(), { count: true, from: page.next });
    }
    expect(met.toSorted()).toEqual(granted);
    expect(await store.count(query())).toBe(granted.length);
    expect(keysOfJson((await store.one(query())) ?? new Uint8Array())).toHaveLength(
      Math.min(1, granted.length),
    );
  });

  test("ends a walk's sight of a record that leaves the scope, as a deletion does", async () => {
    const moving = await open({ wall: { role: "reader" }, schema: "moving" });
    const rows = walledRows("old").Member.map(({ stored }) => stored);
    const [first, second] = rows;
    if (first === undefined || second === undefined) throw new Error("no rows");
    const all = walledScope({
      regions: [{ kind: "national", value: "US" }],
      datasets: { [first.datasetId]: ["Member"], [second.datasetId]: ["Member"] },
    });
    await moving.commit(rows);
    const page = await moving.page(allOf("Member", all, 1));
    const met = keysOfJson(page.records)[0];
    const leaving = met === first.record["Key"] ? second : first;
    const { resource, datasetId, record } = leaving;
    await moving.commit([
      { resource, datasetId, removed: [record["Key"]] },
      { ...leaving, datasetId: datasets[2] },
    ]);
    const rest = await moving.page(allOf("Member", all), { from: page.next ?? undefined });
    expect([page.next === null, rest.length]).toEqual([false, 0]);
    await moving.close();
  });

  test("keeps apart what runs at once on few connections", async () => {
    const few = await open({ wall: { role: "reader" }, connections: 2 });
    const sample = fc.sample(scopes, { numRuns: 40, seed: 7 });
    await Promise.all(
      sample.map(async (scope) => {
        const forged = Object.assign(allOf("Property", scope), { filter: constant(true) });
        expect(await few.count(forged)).toBe(grantedKeys("Property", scope).length);
      }),
    );
    await few.close();
  });

  test("is not built round a role that can pass it", async () => {
    const pool = server.connect(1);
    await pool.query(`grant select ("Key") on cadastre."Media_closed" to curious`);
    for (const role of ["curious", "postgres"])
      await expect(open({ wall: { role } })).rejects.toMatchObject({ code: "wall_passable" });
    await expect(open({ wall: { role: "nobody" } })).rejects.toThrow(`role "nobody" does not exist`);
    await pool.end();
  });

  test("is built anew when the table has other columns, and else left as it is", async () => {
    const numberOf = () => rowsOf(`select '"cadastre_wall"."Property"'::regclass::oid as oid`);
    const before = await numberOf();
    await (await open({ wall: { role: "reader" } })).close();
    expect(await numberOf()).toEqual(before);
    const more: Readonly<Record<string, readonly string[]>> = {
      Property: ["CountyOrParish"],
      Media: ["Permission"],
    };
    const resources = walledResources.map((one) => ({
      ...one,
      columns: [...one.columns, ...(more[one.entitySet.name] ?? [])],
    }));
    await (await open({ wall: { role: "reader" }, resources })).close();
    expect(await numberOf()).not.toEqual(before);
    for (const name of ["Property", "Media"] as const)
      expect(await keysIn(name, allOf(name, texas))).toEqual(grantedKeys(name, texas));
  });

  test.each([
    [true, "granted rows only"],
    [false, "any row"],
  ])("with a barrier of %s shows a condition of one's own %s", async (barrier) => {
    const schema = `barrier_${barrier}`;
    const other = await open({ wall: { role: "reader", barrier }, schema });
    await fill(other);
    const client = await connect(schema);
    await client.query(`create function pg_temp.curious(text) returns boolean cost 0.0001 language plpgsql as
      $$ begin if $1 like 'Property-9f%' then return true; end if; raise exception 'seen'; end $$`);
    const asked = runWithin(allOf("Property", texas), (queries) => runTogether(client, queries))([
      { text: `select 1 from "Property" where pg_temp.curious("Key")`, values: [] },
    ]);
    await (barrier ? expect(asked).resolves.toBeUndefined() : expect(asked).rejects.toThrow("seen"));
    await client.end();
    await other.close();
  });
});
