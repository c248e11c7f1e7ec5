import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parquetMetadata } from "hyparquet";
import { afterAll, expect, test } from "vitest";
import { ExactLines } from "../../src/format/exact-lines.ts";
import { writeParquet } from "../../src/format/parquet.ts";
import type { ExportColumn, ExportType } from "../../src/index.ts";
import { askDuckDb } from "../../src/testing/duckdb.ts";
import { arrayBufferOf, readByHyparquet } from "../../src/testing/hyparquet.ts";
import { lineOf, memorySource } from "../support/memory-source.ts";
import { partsOf, profile } from "../support/parts.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-parquet-"));
afterAll(() => rmSync(folder, { recursive: true }));

const column = (name: string, type: ExportType, collection = false): ExportColumn => ({
  name,
  type,
  collection,
  nullable: true,
});
const point = {
  struct: [column("type", "string"), column("coordinates", "double", true)],
};

/** By column: a value in JSON text, and what DuckDB and hyparquet say of it. */
const values: readonly (readonly [ExportColumn, json: string, duckdb: unknown, hyparquet: unknown])[] = [
  [column("Text", "string"), String.raw`"a\"b\né🏠"`, 'a"b\né🏠', 'a"b\né🏠'],
  [column("Empty", "string"), '""', "", ""],
  [column("Truth", "boolean"), "false", false, false],
  [column("Small", "int32"), "-7", -7, -7],
  [column("Large", "int64"), "9007199254740993", "9007199254740993", 9007199254740993n],
  [column("Real", "double"), "0.1", 0.1, 0.1],
  [column("Exact", { decimal: [20, 2] }), "123456789012345678.91", "123456789012345678.91", undefined],
  [column("Whole", { decimal: [14, 2] }), "375000", "375000.00", 375000],
  [column("Power", { decimal: [14, 2] }), "1.5e3", "1500.00", 1500],
  [
    column("Instant", "timestamp"),
    '"2024-01-15T23:30:00.123Z"',
    "2024-01-15 23:30:00.123+00",
    new Date("2024-01-15T23:30:00.123Z"),
  ],
  [column("Day", "date"), '"2024-02-29"', "2024-02-29", new Date("2024-02-29")],
  [column("Clock", "time"), '"08:30:00.5"', "08:30:00.5", 30_600_500_000n],
  [column("List", "string", true), '["a",null,"b"]', ["a", null, "b"], ["a", null, "b"]],
  [column("None", "string", true), "[]", [], []],
  [column("Sums", { decimal: [6, 2] }, true), "[1,null,2.5]", ["1.00", null, "2.50"], [1, null, 2.5]],
  [
    column("Place", point),
    '{"type":"Point","coordinates":[-97.1,30.25]}',
    { type: "Point", coordinates: [-97.1, 30.25] },
    { type: "Point", coordinates: [-97.1, 30.25] },
  ],
  [
    column("Nested", { struct: [column("at", { decimal: [9, 6] }), column("more", "string")] }),
    '{"at":30.125}',
    { at: "30.125000", more: null },
    { at: 30.125, more: null },
  ],
  [column("Any", "json"), String.raw`{"a":[1,2.50,"\""]}`, String.raw`{"a":[1,2.50,"\""]}`, undefined],
];
const columns = values.map(([one]) => one);
const parquet = profile({ format: "parquet", compression: "zstd", partBytes: 1 << 20 });

async function fileOf(lines: readonly string[], name: string): Promise<string> {
  const parts = await partsOf(memorySource(columns, lines), parquet);
  const file = join(folder, name);
  writeFileSync(file, parts[0]?.bytes ?? "");
  return file;
}

const full = `{${values.map(([{ name }, json]) => `"${name}":${json}`).join(",")}}`;

test("two readers get every value back, with its type, and null where there is none", async () => {
  const file = await fileOf([full, "{}"], "values.parquet");
  const nothing = Object.fromEntries(columns.map(({ name }) => [name, null]));
  expect(await askDuckDb(`FROM '${file}'`)).toEqual([
    Object.fromEntries(values.map(([{ name }, , duckdb]) => [name, duckdb])),
    nothing,
  ]);
  const bytes = await readFile(file);
  const [first, second] = await readByHyparquet(bytes);
  const known = values.filter(([, , , value]) => value !== undefined);
  expect(first).toMatchObject(Object.fromEntries(known.map(([{ name }, , , value]) => [name, value])));
  for (const [name, value] of Object.entries(second ?? {}))
    expect([name, value ?? null]).toEqual([name, null]);
  const codecs = parquetMetadata(arrayBufferOf(bytes)).row_groups.flatMap((group) =>
    group.columns.map(({ meta_data }) => meta_data?.codec),
  );
  expect(new Set(codecs)).toEqual(new Set(["ZSTD"]));
});

test("types are those of the columns; instants are in UTC", async () => {
  const file = await fileOf([full], "types.parquet");
  const types = await askDuckDb(`SELECT column_name, column_type FROM (DESCRIBE FROM '${file}')`);
  expect(Object.fromEntries(types.map((row) => [row["column_name"], row["column_type"]]))).toEqual({
    Text: "VARCHAR",
    Empty: "VARCHAR",
    Truth: "BOOLEAN",
    Small: "INTEGER",
    Large: "BIGINT",
    Real: "DOUBLE",
    Exact: "DECIMAL(20,2)",
    Whole: "DECIMAL(14,2)",
    Power: "DECIMAL(14,2)",
    Instant: "TIMESTAMP WITH TIME ZONE",
    Day: "DATE",
    Clock: "TIME",
    List: "VARCHAR[]",
    None: "VARCHAR[]",
    Sums: "DECIMAL(6,2)[]",
    Place: 'STRUCT("type" VARCHAR, coordinates DOUBLE[])',
    Nested: 'STRUCT("at" DECIMAL(9,6), more VARCHAR)',
    Any: "JSON",
  });
});

test("the bytes are the same in every process, and however the source is cut", async () => {
  const lines = Array.from({ length: 3000 }, (_, i) =>
    lineOf(columns, { Text: `${(i * 7919) % 1000}`, Whole: i / 100, List: [`${i % 7}`, "x"] }),
  );
  const [once] = await partsOf(memorySource(columns, lines), parquet);
  const [again] = await partsOf(
    memorySource(columns, lines, () => 7),
    parquet,
  );
  expect(again?.facts).toEqual(once?.facts);
  expect(once?.facts).toMatchObject({
    contentEncoding: null,
    rowCount: 3000,
    uncompressedByteLength: once?.bytes.length,
    uncompressedSha256: once?.facts.sha256,
  });
});

test("every number of a decimal with as many digits as a double has is written exactly", async () => {
  const digits = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n });
  const edges = [10n ** 15n - 1n, 5n * 10n ** 14n - 1n, 450_359_962_737_049n, 999_999_999_999_995n];
  const numbers = [...edges, ...edges.map((one) => -one), ...fc.sample(digits, { numRuns: 2000, seed: 1 })];
  const scales = [0, 2, 7, 15];
  const decimals = scales.map((scale) => column(`s${scale}`, { decimal: [15, scale] }));
  const lines = numbers.map(
    (number) => `{${scales.map((scale) => `"s${scale}":${textOf(number, scale)}`).join()}}`,
  );
  const [part] = await partsOf(memorySource(decimals, lines), parquet);
  const file = join(folder, "decimals.parquet");
  writeFileSync(file, part?.bytes ?? "");
  const expected = numbers.map((number) =>
    Object.fromEntries(scales.map((scale) => [`s${scale}`, textOf(number, scale)])),
  );
  expect(await askDuckDb(`FROM '${file}'`)).toEqual(expected);
});

/** The decimal text of a number of units, `scale` digits of which are after the point. */
function textOf(units: bigint, scale: number): string {
  const text = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const [whole, fraction] = [text.slice(0, text.length - scale), text.slice(text.length - scale)];
  return `${units < 0n ? "-" : ""}${whole}${scale === 0 ? "" : `.${fraction}`}`;
}

test("files are written after one another, and after one that was given up", async () => {
  const lines = ['{"Day":"2024-01-13"}'];
  const source = memorySource([column("Day", "date")], lines);
  const [first] = await partsOf(source, parquet);
  const from = join(folder, "given-up.lines");
  writeFileSync(from, `${lines.join("\n")}\n`);
  const copy = { columns: [column("Day", "date")], from, to: join(folder, "given-up"), folder, memory: 500 };
  const giving = new AbortController();
  const given = writeParquet({ ...copy, cells: 1000, level: 3 }, giving.signal);
  giving.abort();
  await expect(given).rejects.toThrow("abort");
  const [again] = await partsOf(source, parquet);
  expect(again?.facts).toEqual(first?.facts);
});

test("a value that is none of its type fails, and is not told", async () => {
  const day = [column("Day", "date")];
  const failing = partsOf(memorySource(day, ['{"Day":"2024-13-01"}']), parquet);
  await expect(failing).rejects.toMatchObject({ code: "parquet_failed" });
  await expect(failing).rejects.not.toThrow("2024-13-01");
});

test.each([
  ["0", true],
  ["0.00", true],
  ["12.30", true],
  ["12.3000", true],
  ["-999.99", true],
  ["1.5e2", true],
  ["150e-2", true],
  ['"12.34"', true],
  ["12.345", false],
  ["1000", false],
  ["1e3", false],
  ["1e-3", false],
  ['"text"', false],
  ["true", false],
])("%s of a decimal (5, 2): %j", (json, isWithin) => {
  const encode = () => {
    const exact = new ExactLines([
      column("a", { decimal: [5, 2] }),
      column("b", "string"),
      column("c", { decimal: [5, 2] }, true),
    ]);
    return Buffer.from(exact.encode(Buffer.from(`{"a":${json},"c":[null,1]}\n{"b":"x"}\n`))).toString();
  };
  if (isWithin) expect(encode()).toBe(`{"a":"${json.replaceAll('"', "")}","c":[null,"1"]}\n{"b":"x"}\n`);
  else expect(encode).toThrow(expect.objectContaining({ code: "decimal_out_of_range" }));
});
