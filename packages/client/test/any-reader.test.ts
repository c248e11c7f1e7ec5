import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeEach, expect, test } from "vitest";
import { deltaAfter, seedAfter } from "./support/chain.ts";
import { listings, makeDelivery } from "./support/deliveries.ts";
import { load } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { useServer } from "./support/server.ts";

/** Runs the blocks of docs/how-to/any-reader.md, word by word, on what a pull leaves. */
const page = readFileSync(new URL("../../../docs/how-to/any-reader.md", import.meta.url), "utf8");
const blocksOf = (language: string): readonly string[] =>
  Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language} run\\n([\\s\\S]*?)^\`\`\`$`, "gm")),
    ([, text = ""]) => text,
  );

const python = "/usr/bin/python3";
const hasPandas = spawnSync(python, ["-c", "import pandas"]).status === 0;
const needsPandas = process.env["PANDAS"] === "required";

const server = useServer();
let folder: string;
beforeEach(() => {
  folder = emptyFolder();
});

const inFolder = (name: string) => `folder:${join(folder, name)}`;

/** Runs the statements of blocks in a folder, and returns the rows of each. */
async function duckdb(blocks: readonly string[]): Promise<readonly (readonly unknown[])[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const results: unknown[][] = [];
  // The page's paths are relative, and DuckDB reads them from the folder of the process.
  const text = blocks.join("\n").replaceAll("'files/", `'${folder}/files/`);
  for (const statement of text.split(/;\s*$/m)) {
    if (statement.trim() !== "")
      results.push((await connection.runAndReadAll(statement)).getRowObjectsJson());
  }
  connection.closeSync();
  return results;
}

test("DuckDB reads the newest export, and finds what is damaged", async () => {
  const before = await makeDelivery({
    id: "a-before",
    format: "parquet",
    datasets: { listing: listings(3) },
  });
  const delivery = await makeDelivery({
    format: "parquet",
    edit: (manifest) => ({ ...manifest, createdAt: "2026-11-22T04:03:12.000Z" }),
  });
  for (const one of [delivery, before]) await load(server(), inFolder("files"), one);
  const [read = "", check = ""] = blocksOf("sql");
  const count = "select count(*)::int as n, max(ListPrice) as price from listing;";
  const rows = await duckdb([read, count, check]);
  expect(rows.slice(2)).toEqual([[{ n: 250, price: 100_249.5 }], [], []]);
  const part = delivery.manifest.parts[1]?.name ?? "";
  const file = join(folder, "files", delivery.manifest.deliveryId, part);
  const bytes = readFileSync(file);
  bytes[9] = (bytes[9] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  rmSync(join(folder, "files", delivery.manifest.deliveryId, delivery.manifest.parts[0]?.name ?? ""));
  expect((await duckdb([read.split("\n")[0] ?? "", check])).slice(1)).toEqual([
    [],
    expect.arrayContaining([{ name: part }, { name: delivery.manifest.parts[0]?.name }]),
  ]);
});

test("DuckDB merges the seed and the deltas of a subscription", async () => {
  const format = "parquet";
  const old = await seedAfter(undefined, { format, datasets: { listing: listings(9, 500) } });
  const seed = await seedAfter(old, { format, datasets: { listing: listings(120) } });
  const one = await deltaAfter(seed, {
    format,
    datasets: { listing: [...listings(2, 300), { ...listings(1)[0], City: "Boston" }] },
    removals: { listing: ["LSM_000001"] },
  });
  const two = await deltaAfter(one, {
    format,
    datasets: { listing: listings(1, 1) },
    removals: { listing: ["LSM_000300"] },
  });
  for (const delivery of [old, seed, one, two]) await load(server(), inFolder("files"), delivery);
  const [, , merge = ""] = blocksOf("sql");
  const rows = await duckdb([
    merge,
    `select count(*)::int as n, max(City) as city, bool_or(ListingKey = 'LSM_000001') as again,
       bool_or(ListingKey = 'LSM_000300') as removed from current_listing;`,
  ]);
  expect(rows.at(-1)).toEqual([{ n: 121, city: "Boston", again: true, removed: false }]);
});

test.skipIf(!hasPandas && !needsPandas)("pandas reads CSV", async () => {
  await load(server(), inFolder("csv"), await makeDelivery({ format: "csv", rowsPerPart: 200 }));
  const script = blocksOf("python").join("\n");
  const { stdout, stderr } = spawnSync(python, ["-c", script], { cwd: folder, encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["250 100249.5\n", ""]);
});

test("hyparquet reads Parquet", async () => {
  await load(server(), inFolder("files"), await makeDelivery({ format: "parquet", rowsPerPart: 200 }));
  mkdirSync(join(folder, "node_modules"));
  for (const name of ["hyparquet", "hyparquet-compressors"])
    symlinkSync(
      fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url)),
      join(folder, "node_modules", name),
    );
  writeFileSync(join(folder, "read.mjs"), blocksOf("js").join("\n"));
  const { stdout, stderr } = spawnSync(process.execPath, ["read.mjs"], { cwd: folder, encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["250 Austin\n", ""]);
});
