import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { registerFunctions } from "@cadastre/odata/sqlite";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registerChecksum } from "../src/checksum/checksums.ts";
import type { SchemaOptions } from "../src/database/schema-options.ts";
import type { StoredResource, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { entitySetOf, property } from "../src/testing/entity-sets.ts";
import { readKeys } from "./conformance/harness.ts";
import { listing, listings, oregon, records, removal, stored, texas } from "./support/listings.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its migrations are not tested");

type Opened = SchemaOptions & { readonly resources?: readonly StoredResource[] };

/** Databases of one kind, by name. */
type Engine = {
  readonly open: (name: string, options?: Opened) => Promise<WritableStore>;
  /** Run a statement beside the store; the values of its rows. */
  readonly run: (name: string, statement: string) => Promise<readonly unknown[]>;
};

const folder = mkdtempSync(join(tmpdir(), "cadastre-schema-"));
let server: PostgresServer | undefined;
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.stop();
});

const fileOf = (name: string) => join(folder, `${name}.sqlite`);

const engines: Readonly<Record<string, Engine>> = {
  SQLite: {
    open: (name, options) =>
      openSqliteStore({ file: fileOf(name), resources: [stored], threads: 0, ...options }),
    run: async (name, statement) => {
      const database = new Database(fileOf(name));
      registerFunctions(database);
      registerChecksum(database);
      const prepared = database.prepare(statement);
      const rows = prepared.reader ? prepared.raw().all().flat() : [];
      if (!prepared.reader) prepared.run();
      database.close();
      return rows;
    },
  },
  PostgreSQL: {
    open: (schema, options) =>
      openPostgresStore({ connection: server?.url ?? "", schema, resources: [stored], ...options }),
    run: async (schema, statement) => {
      const client = new pg.Client({
        connectionString: server?.url,
        options: `-c search_path=${schema}`,
      });
      await client.connect();
      const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
      await client.end();
      return rows.flat();
    },
  },
};

const indexNames: Readonly<Record<string, string>> = {
  SQLite: "select name from sqlite_schema where type = 'index' order by 1",
  PostgreSQL: "select indexname from pg_indexes where schemaname = current_schema() order by 1",
};

/** Statements that give the tables their keys of earlier versions, and forget the datasets of staged removals. */
const withoutDatasets: Readonly<Record<string, readonly string[]>> = {
  SQLite: [
    `create table "before" as select * from "Property_staged"`,
    `drop table "Property_staged"`,
    `create table "Property_staged" ("ListingKey" text not null, "cadastre_source" text not null,
      "cadastre_batch" bigint not null, "cadastre_dataset" text, "cadastre_record" text, "cadastre_hidden" text,
      primary key ("ListingKey", "cadastre_source"))`,
    `insert into "Property_staged" select * from "before"`,
    `drop table "before"`,
    `update "Property_staged" set "cadastre_dataset" = null where "cadastre_record" is null`,
  ],
  PostgreSQL: [
    ...[
      ["Property", `"ListingKey"`],
      ["Property_closed", `"ListingKey", "cadastre_to"`],
      ["Property_staged", `"ListingKey", "cadastre_source"`],
    ].map(
      ([table, key]) => `alter table "${table}" drop constraint "${table}_key",
        add constraint "${table}_key" primary key (${key})`,
    ),
    ...["Property", "Property_closed"].map(
      (table) => `alter table "${table}" alter column "DatasetId" drop not null`,
    ),
    `alter table "Property_staged" alter column "cadastre_dataset" drop not null`,
    `update "Property_staged" set "cadastre_dataset" = null where "cadastre_record" is null`,
  ],
};

const keyColumns: Readonly<Record<string, string>> = {
  SQLite: `select name from pragma_table_info('Property_staged') where pk > 0 order by pk`,
  PostgreSQL: `select pg_get_constraintdef(oid) from pg_constraint
    where connamespace = current_schema()::regnamespace and conname like 'Property%' and contype = 'p' order by conname`,
};

const expectedKeys: Readonly<Record<string, readonly string[]>> = {
  SQLite: ["ListingKey", "cadastre_dataset", "cadastre_source"],
  PostgreSQL: [
    `PRIMARY KEY ("ListingKey", "DatasetId", cadastre_to)`,
    `PRIMARY KEY ("ListingKey", "DatasetId")`,
    `PRIMARY KEY ("ListingKey", cadastre_dataset, cadastre_source)`,
  ],
};

/** The text of a record with another letter in it. */
const altered: Readonly<Record<string, string>> = {
  SQLite: `replace("cadastre_record", 'Austin', 'Austen')`,
  PostgreSQL: `replace("cadastre_record"::text, 'Austin', 'Austen')::json`,
};

/** With a column of another property, and without one of those that there were. */
const changed: StoredResource = {
  ...stored,
  columns: [...stored.columns.filter((name) => name !== "ListPrice"), "YearBuilt"],
  indexes: [["ModificationTimestamp", "ListingKey"], ["YearBuilt"]],
};

describe.each(hasPostgres ? Object.keys(engines) : ["SQLite"])("a database of %s", (kind) => {
  const { open, run } = engines[kind] as Engine;
  let opened = 0;
  const nameIt = () => `schema_${++opened}`;
  /** A database with records, closed. */
  const filled = async (options?: Opened): Promise<string> => {
    const name = nameIt();
    const store = await open(name, options);
    await store.commit(records);
    await store.close();
    return name;
  };

  test("that has the schema is not written to, nor copied", async () => {
    const name = await filled();
    const steps: string[] = [];
    const before = async () => void steps.push("before");
    const store = await open(name, { migration: { before, onProgress: (step) => steps.push(step) } });
    await store.close();
    expect(steps).toEqual([]);
  });

  test.each([
    ["text", `set "cadastre_record" = ${altered[kind]}`],
    ["members", `set "cadastre_members" = '@' || "cadastre_members"`],
    ["checksum", `set "cadastre_crc32" = null`],
    ["dataset", `set "DatasetId" = (select "DatasetId" from "Property" where "ListingKey" = 'd')`],
  ])("does not serve a record with an altered %s, until it is written again", async (_, set) => {
    const name = await filled();
    await run(name, `update "Property" ${set} where "ListingKey" = 'a'`);
    const store = await open(name);
    await expect(readKeys(store, { filter: "ListingKey eq 'a'" })).rejects.toMatchObject({
      code: "record_damaged",
      details: "a",
    });
    expect(await readKeys(store, { filter: "ListingKey eq 'f'" })).toEqual(["f"]);
    // A record that is in another dataset by mistake is removed there first.
    await store.commit([removal("a", oregon)]);
    expect(await store.commit(records)).toMatchObject({ written: 1, unchanged: records.length - 1 });
    expect(await readKeys(store, {})).toHaveLength(records.length);
    await store.close();
  });

  test("of a schema without checksums of records gets them, those of closed versions too", async () => {
    const name = await filled();
    const store = await open(name);
    await store.commit([{ resource: "Property", datasetId: texas, removed: ["a"] }]);
    await store.close();
    const tables = ["Property", "Property_closed"];
    const checksums = () =>
      Promise.all(
        tables.map((table) => run(name, `select "ListingKey", "cadastre_crc32" from "${table}" order by 1`)),
      );
    const before = await checksums();
    for (const table of tables) {
      const triggers = kind === "SQLite" ? ["insert", "update", "delete"] : [];
      for (const event of triggers) await run(name, `drop trigger "${table}_checksum_${event}"`);
      await run(name, `alter table "${table}" drop column "cadastre_crc32"`);
    }
    const steps: string[] = [];
    await (await open(name, { migration: { onProgress: (step) => steps.push(step) } })).close();
    expect(steps).toContain("Property: computing checksums");
    expect(await checksums()).toEqual(before);
    expect(before.flat()).not.toContain(null);
  });

  test("of a schema without datasets in its keys gets them, and keeps what is staged", async () => {
    const name = await filled();
    const before = await open(name);
    const source = { source: "mls", cursor: "1" };
    await before.builds.stage("Property", source.source, [removal("a"), removal("z")], source);
    await before.builds.stage("Property", "other", [listing("g", "Bend", oregon)], source);
    await before.close();
    for (const statement of withoutDatasets[kind] ?? []) await run(name, statement);
    await run(name, `delete from "cadastre_schema" where "kind" = 'keys'`);
    const steps: string[] = [];
    const store = await open(name, { migration: { onProgress: (step) => steps.push(step) } });
    expect(steps).toContain("Property: building primary keys");
    expect(await store.builds.publish(["Property"])).toMatchObject({ commit: { written: 1, removed: 1 } });
    expect(await readKeys(store, {})).toEqual(["b", "c", "d", "e", "f", "g"]);
    await store.close();
    expect(await run(name, keyColumns[kind] ?? "")).toEqual(expectedKeys[kind]);
    const again: string[] = [];
    await (await open(name, { migration: { onProgress: (step) => again.push(step) } })).close();
    expect(again).toEqual([]);
  });

  test("with a record that has no dataset and should have one is not migrated", async () => {
    const name = await filled();
    for (const statement of withoutDatasets[kind] ?? []) await run(name, statement);
    await run(name, `delete from "cadastre_schema" where "kind" = 'keys'`);
    await run(name, `update "Property" set "DatasetId" = null where "ListingKey" = 'c'`);
    await expect(open(name)).rejects.toMatchObject({
      code: "schema_unsupported",
      details: "Property has a record without a dataset: c",
    });
  });

  test("of another schema is refused where it is not to be migrated, and stays as it is", async () => {
    const name = await filled();
    const refused = open(name, { resources: [changed], migration: "refuse" });
    await expect(refused).rejects.toMatchObject({ code: "schema_older" });
    const store = await open(name, { migration: "refuse" });
    expect(await readKeys(store, {})).toHaveLength(records.length);
    await store.close();
  });

  test("is left as it is if what comes before its migration fails, and if the migration does", async () => {
    const name = await filled();
    const before = () => Promise.reject(new Error("no copy"));
    await expect(open(name, { resources: [changed], migration: { before } })).rejects.toThrow("no copy");
    const fail = (step: string) => {
      if (step === "finishing") throw new Error("at the end");
    };
    const failing = open(name, { resources: [changed], migration: { onProgress: fail } });
    await expect(failing).rejects.toThrow("at the end");
    const store = await open(name, { migration: "refuse" });
    expect(await readKeys(store, { filter: "ListPrice gt 1", orderBy: "ListPrice" })).toEqual(["a", "f"]);
    await store.close();
  });

  test("gets and loses columns and indexes; one that comes back is filled with what changed meanwhile", async () => {
    const name = await filled();
    await run(name, `create index "mine" on "Property" ("City", "StateOrProvince")`);
    const later = await open(name, { resources: [changed] });
    expect(await readKeys(later, { filter: "YearBuilt ge 1999", orderBy: "YearBuilt" })).toEqual(["c", "f"]);
    expect(await readKeys(later, { filter: "ListPrice gt 1", orderBy: "ListPrice" })).toEqual(["a", "f"]);
    const [first] = records;
    if (first === undefined) throw new RangeError("no records");
    await later.commit([{ ...first, record: { ...first.record, ListPrice: 2e12 } }]);
    await later.close();
    const names = await run(name, indexNames[kind] ?? "");
    expect(names).toEqual(expect.arrayContaining(["Property_YearBuilt", "mine"]));
    expect(names).not.toContain("Property_City");

    const back = await open(name);
    expect(await readKeys(back, { filter: "ListPrice gt 1", orderBy: "ListPrice" })).toEqual(["f", "a"]);
    expect(await run(name, indexNames[kind] ?? "")).toContain("Property_City");
    await back.close();
  });

  test.runIf(kind === "SQLite")("knows how many rows a new index has for a value", async () => {
    const name = await filled();
    await (await open(name, { resources: [changed] })).close();
    const analyzed = `select idx from sqlite_stat1 where tbl = 'Property' order by 1`;
    expect(await run(name, analyzed)).toContain("Property_YearBuilt");
  });

  test("is filled anew where a column's values have another form", async () => {
    const name = await filled();
    const finer = [...listings.type.properties.values()].map((one) =>
      one.name === "ListPrice" ? { ...one, scale: 4 } : one,
    );
    const resources = [{ ...stored, entitySet: entitySetOf("Property", finer) }];
    await (await open(name, { resources })).close();
    const unit = kind === "SQLite" ? 10_000 : 1;
    expect(
      (await run(name, `select "ListPrice" from "Property" where "ListingKey" = 'a'`)).map(Number),
    ).toEqual([350_000.5 * unit]);
  });

  test("gets a hidden column that is derived, and is refused where nothing says what it holds", async () => {
    const name = await filled();
    const mark = property("cadastre_mark");
    const hidden = { ...stored, hidden: [mark], indexes: [...stored.indexes, [mark.name]] };
    const refused = open(name, { resources: [hidden] });
    await expect(refused).rejects.toMatchObject({ code: "schema_unsupported" });
    const derived = {
      ...hidden,
      derived: (dataset: string | null, record: object) => ({
        [mark.name]: `${dataset === texas} ${"City" in record}`,
      }),
    };
    const store = await open(name, { resources: [derived] });
    await store.close();
    const marks = await run(name, `select "cadastre_mark" from "Property" order by "ListingKey"`);
    expect(marks).toEqual(["true true", "true true", "true false", "false true", "false true", "false true"]);
  });

  test("gets no resource whose name a table of somebody else has", async () => {
    const name = await filled();
    const member = { ...stored, entitySet: { ...stored.entitySet, name: "Member" } };
    await run(name, `create table "Member" ("Mine" text)`);
    await run(name, `insert into "Member" values ('kept')`);
    const refused = open(name, { resources: [stored, member] });
    await expect(refused).rejects.toMatchObject({ code: "schema_unsupported" });
    expect(await run(name, `select * from "Member"`)).toEqual(["kept"]);
    await run(name, `alter table "Member" rename to "Mine"`);
    await (await open(name, { resources: [stored, member] })).close();
    expect(await run(name, `select * from "Mine"`)).toEqual(["kept"]);
  });

  test("that a later program has written is refused by an earlier one", async () => {
    const name = await filled({ version: 2 });
    await expect(open(name, { version: 1 })).rejects.toMatchObject({ code: "schema_newer" });
    await (await open(name)).close();
    await (await open(name, { version: 2, migration: "refuse" })).close();
    await run(name, `insert into cadastre_migration ("name", "batch") values ('999_later', 9)`);
    await expect(open(name, { version: 2 })).rejects.toMatchObject({
      code: "schema_newer",
      message: expect.stringContaining("999_later") as string,
    });
  });

  test("is not written by who has opened it before it was migrated", async () => {
    const name = await filled();
    const earlier = await open(name);
    const later = await open(name, { resources: [changed] });
    await expect(earlier.commit(records.slice(0, 1))).rejects.toMatchObject({ code: "schema_changed" });
    expect(await later.commit(records)).toMatchObject({ unchanged: records.length });
    await earlier.close();
    await later.close();
  });
});
