import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askDuckDb } from "@cadastre/delivery/testing";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { customerOf } from "../support/deliveries.ts";
import { publishOpenHouses } from "../support/open-houses.ts";
import { runClient } from "../support/program.ts";
import { type Running, run } from "../support/running.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-typed-"));

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "150" });
  await publishOpenHouses(running);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await running.stop();
});

type SchemaEntry = { readonly name: string; readonly sql: { readonly duckdb: string } };

const client = (args: readonly string[]) =>
  runClient([...args, "--url", running.service.baseUrl], { CADASTRE_API_KEY: running.key("national") });

test("the client makes the same typed tables of every format, with all columns", async () => {
  const pulled = async (target: string, format: string) => {
    const args = ["pull", "--domain", "listing", "--profile", `listing-${format}`, "--into", target];
    const { code, stderr } = await client([...args, "--staging", join(folder, `staging-${format}`)]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  };
  const { get, manifest, complete } = customerOf(running);
  const { data } = await manifest(await complete());
  const schema = JSON.parse((await get(`/v1/schemas/${data.schema.sha256}`)).text) as {
    readonly datasets: readonly { readonly name: string; readonly columns: readonly SchemaEntry[] }[];
  };
  const wanted = schema.datasets.find(({ name }) => name === "listing")?.columns ?? [];
  expect(wanted.length).toBeGreaterThan(900);
  const files = ["jsonl", "csv", "parquet"].map(
    (format) => [format, join(folder, `${format}.duckdb`)] as const,
  );
  for (const [format, file] of files) await pulled(`duckdb:${file}`, format);
  const [first, ...others] = files.map(([, file]) => file);
  const columnsOf = (of: string) =>
    askDuckDb(
      `attach '${of}' as c (read_only); select column_name as name, data_type as type from duckdb_columns() where database_name = 'c' and table_name = 'listing' order by column_index`,
    );
  const typed = (await columnsOf(first ?? "")) as readonly { name: string; type: string }[];
  const named = (type: string) => type.replace("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ").replaceAll('"', "");
  expect(typed.map(({ name, type }) => [name, named(type)])).toEqual(
    wanted.map(({ name, sql }) => [name, named(sql.duckdb)]),
  );
  const names = wanted.map(({ name }) => `"${name}"`).join();
  for (const other of others) {
    expect(await columnsOf(other)).toEqual(typed);
    const both = `attach '${first}' as a (read_only); attach '${other}' as b (read_only);`;
    const totals = await askDuckDb(`${both} select count(*)::int as n from b.listing`);
    expect(Number(totals[0]?.["n"])).toBeGreaterThan(0);
    const missing = (from: string, of: string) =>
      `(select count(*) from (select ${names} from ${from}.listing except select ${names} from ${of}.listing))`;
    expect(
      await askDuckDb(
        `${both} select ${missing("a", "b")}::int as a, ${missing("b", "a")}::int as b, (select count(*) from a.listing)::int as n`,
      ),
    ).toEqual([{ a: 0, b: 0, n: Number(totals[0]?.["n"]) }]);
  }
  const copies = ["jsonl", "csv", "parquet"].map(
    (format) => [format, join(folder, `${format}.sqlite`)] as const,
  );
  for (const [format, file] of copies) await pulled(`sqlite:${file}`, format);
  const [one, ...more] = copies.map(([, file]) => {
    const database = new Database(file, { readonly: true });
    const found = database.prepare(`select ${names} from listing order by "ListingKey"`).all();
    database.close();
    return found;
  });
  expect(one?.length).toBeGreaterThan(0);
  for (const two of more) expect(two).toEqual(one);
}, 120_000);

test("the domains of single sets are loaded into a table each", async () => {
  for (const domain of ["member", "office", "open_house", "lookup"]) {
    const [sqlite, duckdb] = [join(folder, `${domain}.sqlite`), join(folder, `${domain}.duckdb`)];
    for (const [target, format] of [
      [`sqlite:${sqlite}`, "jsonl"],
      [`duckdb:${duckdb}`, "parquet"],
    ]) {
      const args = ["pull", "--domain", domain, "--profile", `${domain}-${format}`, "--into", target ?? ""];
      const staging = ["--staging", join(folder, `staging-${domain}-${format}`)];
      const { code, stderr } = await client([...args, ...staging]);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    }
    const database = new Database(sqlite, { readonly: true });
    const [{ n } = { n: 0 }] = database.prepare(`select count(*) as n from ${domain}`).all() as {
      n: number;
    }[];
    database.close();
    expect(n).toBeGreaterThan(0);
    const both = `attach '${duckdb}' as c (read_only); select count(*)::int as n from c.${domain}`;
    expect(await askDuckDb(both)).toEqual([{ n }]);
  }
}, 120_000);
