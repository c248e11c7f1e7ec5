import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { hasPostgres } from "@cadastre/odata/testing";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeEach, expect, test } from "vitest";
import { makeDelivery } from "./support/deliveries.ts";
import { load, postgresql, withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { lakeSchema } from "./support/lake.ts";
import { runHere } from "./support/program.ts";
import { useServer } from "./support/server.ts";

const server = useServer();
let folder: string;
withPostgres();
beforeEach(() => {
  folder = emptyFolder();
});

const row = (key: string, price: number | null) => ({
  ListingKey: key,
  ListPrice: price,
  Changed: "2026-01-15T08:30:00.123Z",
  Cooling: ["a", 'b "c", d'],
  Later: null,
  OriginatingSystemName: "",
});
const datasets = {
  listing: [row("a", 1.25), row("b", null)],
  media_assets: [{ MediaAssetId: "m", Bytes: 7 }],
};

/** Pulls a delivery into a folder, and returns the statements for a database. */
async function scriptFor(database: string, format: "jsonl" | "csv" | "parquet", ...flags: readonly string[]) {
  const delivery = await makeDelivery({
    format,
    rowsPerPart: 1,
    datasets,
    documents: { schema: lakeSchema },
  });
  await load(server(), folder, delivery);
  const place = join(folder, delivery.manifest.deliveryId);
  const { code, stdout, stderr } = await runHere(["sql", place, "--for", database, ...flags]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test.each(["jsonl", "csv", "parquet"] as const)("DuckDB runs the statements for %s", async (format) => {
  const script = await scriptFor("duckdb", format);
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("set timezone = 'UTC'");
  for (const statement of script.split(/;\n/)) if (statement.trim() !== "") await connection.run(statement);
  const found = await connection.runAndReadAll("select * from listing order by 1");
  expect(found.getRowObjectsJson()).toEqual([
    { ...row("a", 1.25), ListPrice: "1.2500", Changed: "2026-01-15 08:30:00.123+00" },
    { ...row("b", null), Changed: "2026-01-15 08:30:00.123+00" },
  ]);
  const assets = await connection.runAndReadAll("select * from media_assets");
  expect(assets.getRowObjectsJson()).toEqual([{ MediaAssetId: "m", Bytes: "7" }]);
  connection.closeSync();
});

test.skipIf(!hasPostgres)("psql runs the statements for CSV", async () => {
  const place = await postgresql.begin();
  const input = await scriptFor("postgres", "csv");
  const { status, stderr } = spawnSync("psql", ["-qv", "ON_ERROR_STOP=1", place.target], {
    input,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(await place.all('select * from listing order by "ListingKey"')).toEqual([
    { ...row("a", 1.25), ListPrice: "1.2500", Changed: new Date("2026-01-15T08:30:00.123Z") },
    { ...row("b", null), Changed: new Date("2026-01-15T08:30:00.123Z") },
  ]);
});

const python = "/usr/bin/python3";
const hasSqlglot = spawnSync(python, ["-c", "import sqlglot"]).status === 0;

/** Parses what it knows of a dialect: statements that create tables. */
const parse = `
import re, sys, sqlglot
for statement in re.findall(r"^create table .*?^\\)", sys.stdin.read(), re.M | re.S):
    print(sqlglot.parse_one(statement, read=sys.argv[1]).key)
`;

test.skipIf(!hasSqlglot && process.env["SQLGLOT"] !== "required").each(["snowflake", "bigquery", "postgres"])(
  "a parser of %s takes the tables",
  async (database) => {
    const input = await scriptFor(database, "csv", "--from", "s3://exports/d");
    const { stdout, stderr } = spawnSync(python, ["-c", parse, database], { input, encoding: "utf8" });
    expect([stdout, stderr]).toEqual(["create\ncreate\n", ""]);
  },
);

test.each([
  ["snowflake", "s3://exports/deliveries/d"],
  ["bigquery", "gs://exports/deliveries/d"],
])("statements for %s", async (database, from) => {
  await expect(await scriptFor(database, "parquet", "--from", `${from}/`)).toMatchFileSnapshot(
    `golden/sql-script-${database}.sql`,
  );
});

test("an address that statements would have to escape is refused, and a delivery without a schema document", async () => {
  const delivery = await makeDelivery({ datasets });
  await load(server(), folder, delivery);
  const place = join(folder, delivery.manifest.deliveryId);
  const codeOf = async (...flags: readonly string[]) =>
    (await runHere(["sql", place, "--for", "postgres", ...flags])).stderr;
  expect(await codeOf("--from", "/tmp/$(id)")).toContain("name the place with `--from`");
  expect(await codeOf("--from", "s3://it's")).toContain("name the place with `--from`");
  expect(await codeOf()).toContain("the delivery has no schema document");
  expect((await runHere(["sql", folder, "--for", "duckdb"])).stderr).toContain(
    "is not a folder with a delivery",
  );
});
