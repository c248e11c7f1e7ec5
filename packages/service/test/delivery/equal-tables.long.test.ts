import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect, follow, openTarget, serviceFeed } from "@cadastre/client";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleRecords } from "../../src/data/sample-records.ts";
import { withComputedValues } from "../../src/ingest/computed-values.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, dataOf } from "../support/deliveries.ts";
import { drawValue } from "../support/field-values.ts";
import { type Random, randomOf } from "../support/random.ts";
import { type Running, run } from "../support/running.ts";
import { completeAt, hurry, subscriptionsRoot } from "../support/subscriptions.ts";
import { testCatalog } from "../support/test-catalog.ts";

type Row = Readonly<Record<string, unknown>>;
type SchemaColumn = {
  readonly name: string;
  readonly type: unknown;
  readonly collection: boolean;
  readonly sql: { readonly duckdb: string; readonly postgres: string; readonly sqlite: string };
};

/** Deltas that follow the seed: `DELTAS=30` for more. */
const deltas = Number(process.env["DELTAS"] ?? 12);
/** Numbers of deltas after which all tables are compared, which takes a minute. */
const compared: ReadonlySet<number> = new Set([0, deltas]);
const folder = mkdtempSync(join(tmpdir(), "cadastre-equal-"));

let running: Running;
let national: ReturnType<typeof customerOf>;
let connection: Connection;
let postgres: PostgresServer | undefined;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60" });
  national = customerOf(running);
  connection = connect({ url: running.service.baseUrl, apiKey: running.key("national") });
  if (hasPostgres) postgres = await startPostgres();
});
afterAll(async () => {
  await running.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true });
});

/** A copy: the format of its deliveries, its target, and its columns and rows. */
type Copy = {
  readonly format: "jsonl" | "csv" | "parquet";
  readonly target: () => string;
  readonly sql: keyof SchemaColumn["sql"];
  /** Types of the columns of `listing` by the catalog, by name. */
  readonly types: () => Promise<readonly Row[]>;
  readonly rows: (table: string, columns: readonly SchemaColumn[]) => Promise<readonly Row[]>;
  readonly isAbsent?: boolean;
};

const inDuckdb = async (file: string, sql: string): Promise<readonly Row[]> => {
  const instance = await DuckDBInstance.create(file);
  const database = await instance.connect();
  await database.run("set timezone = 'UTC'");
  const rows = (await database.runAndReadAll(sql)).getRowObjectsJson();
  database.closeSync();
  instance.closeSync();
  return rows;
};
const inSqlite = (sql: string): readonly Row[] => {
  const database = new Database(join(folder, "copy.sqlite"), { readonly: true });
  database.defaultSafeIntegers();
  const rows = database.prepare<[], Row>(sql).all();
  database.close();
  return rows;
};
const inPostgres = async (sql: string): Promise<readonly Row[]> => {
  const pool = postgres?.connect();
  const { rows } = (await pool?.query<Row>(sql)) ?? { rows: [] };
  await pool?.end();
  return rows;
};
/** Rows that a reader of the Parquet dataset finds by the pointer. */
const lakeTable = (table: string): string => {
  const { path } = JSON.parse(readFileSync(join(folder, "lake", "latest.json"), "utf8")) as { path: string };
  return `read_parquet('${folder}/lake/${path}/${table}/**/*.parquet', hive_types_autocast = false)`;
};

const copies: readonly Copy[] = [
  {
    format: "jsonl",
    target: () => `sqlite:${join(folder, "copy.sqlite")}`,
    sql: "sqlite",
    types: async () => inSqlite("select name, lower(type) as type from pragma_table_info('listing')"),
    rows: async (table) => inSqlite(`select * from ${table}`),
  },
  {
    format: "parquet",
    target: () => postgres?.url ?? "",
    sql: "postgres",
    isAbsent: !hasPostgres,
    types: () =>
      inPostgres(`select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = 'listing'::regclass and attnum > 0 and not attisdropped`),
    // Texts, because the driver gives dates in the zone of the machine.
    rows: (table, columns) =>
      inPostgres(
        `select ${columns.map(({ name, type }) => (type === "date" ? `"${name}"::text` : `"${name}"`)).join()} from ${table}`,
      ),
  },
  {
    format: "csv",
    target: () => `duckdb:${join(folder, "copy.duckdb")}`,
    sql: "duckdb",
    types: () =>
      inDuckdb(
        join(folder, "copy.duckdb"),
        "select column_name as name, data_type as type from duckdb_columns() where table_name = 'listing'",
      ),
    rows: (table) => inDuckdb(join(folder, "copy.duckdb"), `select * from ${table}`),
  },
  {
    format: "parquet",
    target: () => `parquet:${join(folder, "lake")}`,
    sql: "duckdb",
    types: () =>
      inDuckdb(
        ":memory:",
        `select column_name as name, column_type as type from (describe select * from ${lakeTable("listing")})`,
      ),
    rows: (table) => inDuckdb(":memory:", `select * from ${lakeTable(table)}`),
  },
];

/** Names that catalogs have for the types of statements. */
const plain = (type: string): string =>
  type.toLowerCase().replaceAll(/["\s]/g, "").replaceAll("timestampwithtimezone", "timestamptz");

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, sorted(v)]));
};

/** Returns one text for a value, whichever database it is from. */
function textOf(value: unknown, { type, collection }: SchemaColumn): string | null {
  if (value === null || value === undefined) return null;
  if (collection || type === "json" || (typeof type === "object" && type !== null && "struct" in type))
    return JSON.stringify(sorted(typeof value === "string" ? JSON.parse(value) : value));
  if (type === "boolean") return String(value === true || Number(value) === 1);
  if (type === "double") return String(Number(value));
  if (value instanceof Date) return value.toISOString();
  const text = printed(value);
  if (type === "timestamp") return new Date(text.replace(/\+00$/, "Z")).toISOString();
  // Some write the zeros at the end of a fraction, and some do not.
  if (typeof type === "object" || type === "time")
    return text.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  return text;
}

function printed(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint") return value.toString();
  throw new TypeError(`a ${typeof value} is no value of a database`);
}

/** Returns the cells of a table as texts, by the key of the row. */
async function cellsOf(copy: Copy, table: string, columns: readonly SchemaColumn[]) {
  const rows = await copy.rows(table, columns);
  const key = columns.find(({ name }) => name === keys[table])?.name ?? "";
  return new Map(
    rows.map((row) => [String(row[key]), columns.map((column) => textOf(row[column.name], column))] as const),
  );
}

const keys: Readonly<Record<string, string>> = {
  listing: "ListingKey",
  listing_media: "MediaKey",
  media_assets: "MediaAssetId",
};

type Cells = Awaited<ReturnType<typeof cellsOf>>;

/** Returns the cells in which two tables differ, and the keys of rows that one of them lacks. */
function differences(one: Cells, other: Cells, columns: readonly SchemaColumn[]): readonly unknown[] {
  const lacking = [...one.keys(), ...other.keys()].filter((key) => one.has(key) !== other.has(key));
  const cells = [...one].flatMap(([key, row]) =>
    row.flatMap((text, k) => {
      const found = other.get(key)?.[k];
      return found === undefined || found === text ? [] : [[key, columns[k]?.name, text, found]];
    }),
  );
  return [...lacking, ...cells];
}

const market: readonly StoredRecord[] = [...sampleRecords(generateMarket({ seed: 1, listings: 60 }))].filter(
  ({ resource }) => resource === "Property",
);
/** Fields whose values do not decide who sees the record. */
const free = testCatalog
  .resource("Property")
  .fields.filter(
    ({ name, source, type }) =>
      source === null &&
      !type.startsWith("Edm.Geo") &&
      !/Key|Latitude|Longitude|Timestamp|UniversalProperty|State|County|PostalCode|OriginatingSystem/.test(
        name,
      ),
  );

/** Gives some listings values of any fields, removes some, and puts others back. */
function drawChanges(random: Random): readonly Change[] {
  return Array.from({ length: 6 }, (): Change => {
    const one = random.pick(market);
    const { datasetId, resource, record } = one;
    if (random.chance(0.2)) return { resource, datasetId, removed: [String(record["ListingKey"])] };
    const values = free
      .filter(() => random.chance(0.08))
      .map((field): [string, unknown] => [field.name, drawValue(random, field)]);
    return {
      ...one,
      record: withComputedValues({ ...record, ...Object.fromEntries(values) } as typeof record),
    };
  }).filter((change, k, all) => all.findIndex((other) => keyOf(other) === keyOf(change)) === k);
}

const keyOf = (change: Change): string =>
  "removed" in change ? String(change.removed[0]) : String(change.record["ListingKey"]);

const delivered = (id: string, sequence: number) => completeAt(national, id, { sequence });

test("SQLite of JSON lines, PostgreSQL of Parquet, DuckDB of CSV and a Parquet dataset hold the same typed tables", async () => {
  const subscriptions = new Map<Copy["format"], string>();
  for (const format of ["jsonl", "csv", "parquet"] as const) {
    const body = { name: format, domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
    const created = await national.post(subscriptionsRoot, { ...body, profileId: `listing-${format}` });
    expect([created.status, created.text]).toEqual([201, expect.any(String)]);
    subscriptions.set(format, dataOf<{ id: string }>(created).id);
  }
  const ids = [...subscriptions.values()];
  const present = copies.filter(({ isAbsent }) => isAbsent !== true);
  let documents: readonly { readonly name: string; readonly columns: readonly SchemaColumn[] }[] = [];
  const followAll = async () => {
    for (const copy of present) {
      const target = await openTarget(copy.target());
      const feed = serviceFeed(connection, subscriptions.get(copy.format) ?? "", {
        trust: "published",
        reference: null,
      });
      const staging = join(folder, "staging", copy.sql + copy.format);
      let hash = "";
      const onLoaded = ({ manifest }: { manifest: { schema: { sha256: string } } }) => {
        hash = manifest.schema.sha256;
      };
      await follow(feed, { target, staging, once: true, onLoaded });
      await target.close();
      const answer = await national.get(`/v1/schemas/${hash}`);
      ({ datasets: documents } = JSON.parse(answer.text) as { datasets: typeof documents });
    }
  };

  const random = randomOf(24);
  let cells = 0;
  const filled = new Set<string>();
  const first: number[] = [];
  for (let sequence = 0; sequence <= deltas; sequence++) {
    if (sequence > 0) {
      await commitTo(running, drawChanges(random));
      await Promise.all(ids.map((id) => hurry(national, id)));
    }
    await Promise.all(ids.map((id) => delivered(id, sequence)));
    if (!compared.has(sequence)) continue;
    await followAll();
    const listing = documents.find(({ name }) => name === "listing")?.columns ?? [];
    expect(listing.length).toBeGreaterThanOrEqual(946);
    for (const copy of present) {
      const types = new Map((await copy.types()).map(({ name, type }) => [name, plain(String(type))]));
      expect(types).toEqual(new Map(listing.map(({ name, sql }) => [name, plain(sql[copy.sql])])));
    }
    for (const { name, columns } of documents) {
      const [one = new Map() as Cells, ...others] = await Promise.all(
        present.map((copy) => cellsOf(copy, name, columns)),
      );
      for (const other of others) expect(differences(one, other, columns)).toEqual([]);
      cells += one.size * columns.length;
      if (name !== "listing") continue;
      expect(one.size).toBeGreaterThan(20);
      for (const row of one.values())
        for (const [k, value] of row.entries()) if (value !== null) filled.add(columns[k]?.name ?? "");
      first.push(filled.size);
    }
  }
  expect(cells).toBeGreaterThan(100_000);
  // Many columns have no value in the seed, and one later.
  expect((first.at(-1) ?? 0) - (first[0] ?? 0)).toBeGreaterThan(80);
  console.log(`${cells} cells, ${first.join(" ")} columns with values`);
}, 900_000);
