import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { askDuckDb, readByHyparquet } from "@cadastre/delivery/testing";
import type { StructuralProperty } from "@cadastre/odata";
import { parse } from "csv-parse/sync";

export type PartRow = Readonly<Record<string, unknown>>;

/** Columns of a dataset, by name. */
export type PartColumns = ReadonlyMap<string, StructuralProperty>;

/** Reads the rows of a part, as JSON values without nulls. */
export type PartReader = (bytes: Buffer, columns: PartColumns) => Promise<readonly PartRow[]>;

/** Readers of each format. They share no code with the writer, nor with one another. */
export const partReaders: Readonly<Record<string, readonly PartReader[]>> = {
  jsonl: [readLines, readLinesByDuckDb],
  csv: [readTable, readTableByDuckDb],
  parquet: [readParquetByDuckDb, readParquet],
};

export const withoutNulls = (row: PartRow): PartRow =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));

type Convert = (value: unknown, column: StructuralProperty) => unknown;

function converted(rows: readonly PartRow[], columns: PartColumns, convert: Convert): readonly PartRow[] {
  const columnOf = (name: string) => {
    const column = columns.get(name);
    if (column === undefined) throw new RangeError(`unknown column ${name}`);
    return column;
  };
  return rows.map((row) => {
    const members = Object.entries(withoutNulls(row));
    return Object.fromEntries(members.map(([name, value]) => [name, convert(value, columnOf(name))]));
  });
}

/** Returns the result of a DuckDB query on a file with these bytes. */
async function askedOf(bytes: Buffer, name: string, query: (file: string) => string) {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-part-"));
  const file = join(folder, name);
  try {
    writeFileSync(file, bytes);
    return await askDuckDb(query(`'${file}'`));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function readLines(bytes: Buffer): Promise<readonly PartRow[]> {
  const lines = gunzipSync(bytes).toString().split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as PartRow);
}

/** Reads each value as its JSON text. */
async function readLinesByDuckDb(bytes: Buffer, columns: PartColumns): Promise<readonly PartRow[]> {
  const typed = [...columns.keys()].map((name) => `'${name}': 'JSON'`).join();
  const rows = await askedOf(
    bytes,
    "part.jsonl.gz",
    (file) => `FROM read_json(${file}, format = 'newline_delimited', columns = {${typed}})`,
  );
  return converted(rows, columns, (value) => JSON.parse(String(value)) as unknown);
}

async function readTable(bytes: Buffer, columns: PartColumns): Promise<readonly PartRow[]> {
  const [header = [], ...lines] = parse(gunzipSync(bytes), {
    record_delimiter: "\r\n",
    cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
  }) as unknown as (string | null)[][];
  const rows = lines.map((cells) => Object.fromEntries(cells.map((cell, i) => [String(header[i]), cell])));
  return converted(rows, columns, ofText);
}

async function readTableByDuckDb(bytes: Buffer, columns: PartColumns): Promise<readonly PartRow[]> {
  const [header = ""] = gunzipSync(bytes).toString().split("\r\n", 1);
  const typed = header.split(",").map((name) => `'${name}': 'VARCHAR'`);
  const options = [
    "auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"'",
    "nullstr = '', allow_quoted_nulls = false, new_line = '\\r\\n', parallel = false",
    `columns = {${typed.join()}}`,
  ];
  const rows = await askedOf(bytes, "part.csv.gz", (file) => `FROM read_csv(${file}, ${options.join(", ")})`);
  return converted(rows, columns, ofText);
}

async function readParquetByDuckDb(bytes: Buffer, columns: PartColumns): Promise<readonly PartRow[]> {
  const rows = await askedOf(bytes, "part.parquet", (file) => `FROM ${file}`);
  return converted(rows, columns, (value, column) =>
    typeof value === "string" ? ofText(value, column) : value,
  );
}

async function readParquet(bytes: Buffer, columns: PartColumns): Promise<readonly PartRow[]> {
  return converted(await readByHyparquet(bytes), columns, ofHyparquet);
}

/** Parses a text by the type of its column. */
function ofText(value: unknown, { type, collection }: StructuralProperty): unknown {
  const text = String(value);
  if (collection || type.startsWith("Edm.Geo")) return JSON.parse(text);
  if (type === "Edm.DateTimeOffset") return new Date(text).toISOString();
  return ["Edm.String", "Edm.Date"].includes(type) ? text : JSON.parse(text);
}

/** Converts a value from hyparquet, which computes decimals as products, so that their last digits are off. */
function ofHyparquet(value: unknown, column: StructuralProperty): unknown {
  if (Array.isArray(value)) return value.map((item) => ofHyparquet(item, column));
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return value.toISOString().slice(0, column.type === "Edm.Date" ? 10 : undefined);
  return typeof value === "number" && column.scale !== undefined
    ? Number(value.toFixed(column.scale))
    : value;
}
