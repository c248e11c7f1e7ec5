import { join } from "node:path";
import { connect, openTarget, pull } from "@cadastre/client";
import type { Manifest } from "@cadastre/manifest";
import { DuckDBInstance } from "@duckdb/node-api";
import Database from "better-sqlite3";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hasPostgres, type PostgresServer, startPostgres } from "../../odata/test/support/postgres.ts";
import {
  type DeliveryOptions,
  jwks,
  listings,
  makeDelivery,
  type Row,
  type TestDelivery,
} from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { apiKey, startServer, type TestServer } from "./support/server.ts";

type Engine = {
  readonly name: string;
  readonly formats: readonly NonNullable<DeliveryOptions["format"]>[];
  /** The text of an empty target, and rows of a query in it. */
  readonly begin: () => Promise<{ target: string; all: (sql: string) => Promise<readonly Row[]> }>;
};

let postgres: PostgresServer | undefined;
let pool: pg.Pool | undefined;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  if (!hasPostgres) return;
  postgres = await startPostgres();
  pool = postgres.connect();
});
afterAll(async () => {
  await server.close();
  await pool?.end();
  await postgres?.stop();
});
beforeEach(() => server.deliveries.clear());

const engines: readonly Engine[] = [
  {
    name: "SQLite",
    formats: ["jsonl", "csv"],
    begin: async () => {
      const file = join(emptyFolder(), "listings.sqlite");
      const all = async (sql: string) => {
        const database = new Database(file);
        try {
          return database.prepare<[], Row>(sql).all();
        } finally {
          database.close();
        }
      };
      return { target: `sqlite:${file}`, all };
    },
  },
  {
    name: "PostgreSQL",
    formats: ["jsonl", "csv"],
    begin: async () => {
      await pool?.query("drop schema public cascade; create schema public");
      return { target: postgres?.url ?? "", all: async (sql) => (await pool?.query<Row>(sql))?.rows ?? [] };
    },
  },
  {
    name: "DuckDB",
    formats: ["jsonl", "csv", "parquet"],
    begin: async () => {
      const file = join(emptyFolder(), "listings.duckdb");
      const all = async (sql: string) => {
        const instance = await DuckDBInstance.create(file);
        const connection = await instance.connect();
        const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson();
        connection.closeSync();
        instance.closeSync();
        return rows;
      };
      return { target: `duckdb:${file}`, all };
    },
  },
];

async function load(text: string, delivery: TestDelivery) {
  server.deliveries.set(delivery.manifest.deliveryId, delivery);
  const connection = connect({ url: server.url, apiKey, patience: { tries: 1, pause: 1 } });
  const target = await openTarget(text);
  const options = { target, staging: join(emptyFolder(), "staging"), trust: jwks, reference: null } as const;
  try {
    return (await pull(connection, delivery.manifest.deliveryId, options)).standing;
  } finally {
    await target.close();
  }
}

/** A value as it was sent, of what a database gives for it. */
const sent = (value: unknown, like: unknown): unknown => {
  if (value === null) return undefined;
  if (typeof like === "number") return Number(value);
  if (typeof like === "boolean") return typeof value === "string" ? value === "true" : Boolean(value);
  if (typeof like === "object" && typeof value === "string") return JSON.parse(value);
  return value;
};

const seedOf = (generation: number, previous: Manifest["previous"], id: string, rows = 5) =>
  makeDelivery({
    id,
    datasets: { listing: listings(rows) },
    edit: (manifest) => ({ ...manifest, kind: "seed", subscriptionId: "subscription", generation, previous }),
  });

describe.each(engines)("$name", ({ name, formats, begin }) => {
  const absent = name === "PostgreSQL" && !hasPostgres;
  test.skipIf(absent).each(formats)("has every cell of %s as it was sent", async (format) => {
    const { target, all } = await begin();
    const rows = listings(250);
    await load(target, await makeDelivery({ format, datasets: { listing: rows, listing_media: [] } }));
    const found = await all('select * from listing order by "ListingKey"');
    expect(found).toHaveLength(rows.length);
    for (const [k, row] of rows.entries()) {
      for (const [column, value] of Object.entries(row))
        expect(sent(found[k]?.[column], value)).toEqual(value);
      const held = Object.entries(found[k] ?? {}).filter(([, value]) => value !== null);
      expect(held).toHaveLength(Object.keys(row).length);
    }
    if (format !== "parquet") expect(await all("select count(*) as n from listing_media")).toHaveLength(1);
  });

  const has = test.skipIf(absent);

  has("a snapshot takes the place of the one before, and a new column is added", async () => {
    const { target, all } = await begin();
    await load(target, await makeDelivery({ id: "first", datasets: { listing: listings(30) } }));
    const rows: readonly Row[] = listings(7, 100).map((row) => ({ ...row, Added: "new" }));
    expect(await load(target, await makeDelivery({ id: "second", datasets: { listing: rows } }))).toBe("new");
    const found = await all('select "ListingKey" as k, "Added" as a from listing order by 1');
    expect(found.map(({ k, a }) => [k, a])).toEqual(rows.map((row) => [row["ListingKey"], "new"]));
  });

  has(
    "the same again is done already; another manifest in its place is a conflict, and changes nothing",
    async () => {
      const { target, all } = await begin();
      const delivery = await makeDelivery({ id: "one", datasets: { listing: listings(5) } });
      expect(await load(target, delivery)).toBe("new");
      expect(await load(target, delivery)).toBe("done");
      const another = await makeDelivery({ id: "one", datasets: { listing: listings(6) } });
      await expect(load(target, another)).rejects.toMatchObject({ code: "ledger_conflict", exitCode: 6 });
      expect(
        await all("select stream, generation, sequence, manifest_sha256 from cadastre_loads"),
      ).toHaveLength(1);
      expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(5);
    },
  );

  has("two at once load a delivery once", async () => {
    const { target, all } = await begin();
    const delivery = await makeDelivery({ id: "both", datasets: { listing: listings(50) } });
    // A DuckDB file has one program at a time.
    const tries =
      name === "DuckDB" ? [await load(target, delivery), await load(target, delivery)] : undefined;
    const standings = tries ?? (await Promise.all([load(target, delivery), load(target, delivery)]));
    expect(standings).toContain("new");
    expect(await all("select * from cadastre_loads")).toHaveLength(1);
    expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(50);
  });

  has("what fails leaves data and ledger as they were", async () => {
    const { target, all } = await begin();
    await load(target, await makeDelivery({ id: "good", datasets: { listing: listings(5) } }));
    const [one] = listings(1);
    const twice = await makeDelivery({ id: "twice", datasets: { listing: [one ?? {}, one ?? {}] } });
    await expect(load(target, twice)).rejects.toMatchObject({ code: "target_failed", exitCode: 7 });
    expect(Number((await all("select count(*) as n from listing"))[0]?.["n"])).toBe(5);
    expect((await all("select stream from cadastre_loads")).map(({ stream }) => stream)).toEqual(["good"]);
  });

  has("seeds of one subscription follow one another, and nothing goes back", async () => {
    const { target } = await begin();
    const first = await seedOf(1, null, "seed1");
    const second = await seedOf(2, { generation: 1, sequence: 0, manifestSha256: first.sha256 }, "seed2");
    const forked = await seedOf(2, { generation: 1, sequence: 0, manifestSha256: second.sha256 }, "seed3");
    expect(await load(target, first)).toBe("new");
    await expect(load(target, forked)).rejects.toMatchObject({ code: "chain_fork" });
    expect(await load(target, second)).toBe("new");
    expect(await load(target, first)).toBe("done");
    await expect(load(target, await seedOf(1, null, "seed4", 6))).rejects.toMatchObject({
      code: "ledger_conflict",
    });
    await expect(load(target, await seedOf(3, null, "seed5"))).rejects.toMatchObject({ code: "chain_fork" });
  });

  test.skipIf(absent || formats.includes("parquet"))("does not take Parquet", async () => {
    const { target } = await begin();
    await expect(load(target, await makeDelivery({ format: "parquet" }))).rejects.toMatchObject({
      code: "format_not_loadable",
    });
  });
});

test.runIf(hasPostgres)("PostgreSQL keeps every digit, and the types that its owner has chosen", async () => {
  const engine = await engines[1]?.begin();
  await pool?.query(
    `create table listing ("ListingKey" text primary key, "ListPrice" numeric, "At" timestamptz, "City" text); create view dear as select * from listing`,
  );
  const digits = "12345678901234567.89";
  const delivery = await makeDelivery({
    datasets: { listing: [{ ListingKey: "a", ListPrice: 1.5, At: "2026-01-02T03:04:05Z" }] },
    spoil: (plain) => Buffer.from(plain.toString().replace("1.5", digits)),
  });
  await load(engine?.target ?? "", delivery);
  const [row] = (await pool?.query<Row>(`select "ListPrice"::text as p, "At" from dear`))?.rows ?? [];
  expect(row).toEqual({ p: digits, At: new Date("2026-01-02T03:04:05Z") });
  await expect(
    load(
      engine?.target ?? "",
      await makeDelivery({ id: "x", datasets: { listing: [{ ListingKey: "a", City: [1] }] } }),
    ),
  ).rejects.toMatchObject({ code: "column_type" });
});

test("SQLite makes no number of a text, as the type of a column that is there would have it", async () => {
  const { target } = (await engines[0]?.begin()) ?? { target: "" };
  await load(
    target,
    await makeDelivery({ id: "a", datasets: { listing: [{ ListingKey: "a", Zip: 78701 }] } }),
  );
  const texts = await makeDelivery({ id: "b", datasets: { listing: [{ ListingKey: "a", Zip: "01001" }] } });
  await expect(load(target, texts)).rejects.toMatchObject({ code: "column_type", exitCode: 7 });
});

test("a folder's manifests are its ledger", async () => {
  const folder = emptyFolder();
  const first = await seedOf(1, null, "seed1");
  expect(await load(folder, first)).toBe("new");
  expect(await load(`folder:${folder}`, first)).toBe("done");
  await expect(load(folder, await seedOf(1, null, "seed2", 6))).rejects.toMatchObject({
    code: "ledger_conflict",
  });
});

test.each([
  "postgres://user:secret@host/db",
  "postgres://host/db?password=secret",
  "mysql:db",
  "sqlite:",
  "",
])("%j is no target", async (text) => {
  await expect(openTarget(text)).rejects.toMatchObject({ code: "target_invalid" });
});

test("a target that cannot be opened says so", async () => {
  const nowhere = join(emptyFolder(), "no", "folder", "file");
  await expect(openTarget(`sqlite:${nowhere}`)).rejects.toMatchObject({ code: "target_failed" });
  await expect(openTarget(`duckdb:${nowhere}`)).rejects.toMatchObject({ code: "target_failed" });
  await expect(openTarget("postgres://nobody@127.0.0.1:1/none")).rejects.toMatchObject({
    code: "target_failed",
  });
});
