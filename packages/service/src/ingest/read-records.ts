import { Readable } from "node:stream";
import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { CsvError, type Parser, parse } from "csv-parse";
import { columnNames, delimiterOf, utf8Lines } from "./csv-text.ts";
import type { Entry, FileContent } from "./entry.ts";
import { numberOf, parseJson } from "./exact-json.ts";
import type { Format } from "./format.ts";
import { IngestError } from "./ingest-error.ts";
import { jsonEntry } from "./json-entry.ts";
import { readCommonFormat } from "./read-common-format.ts";
import { maxLine, readLines } from "./read-lines.ts";

/** Yields the entries of a file in order. `onColumns` is called with the names of the columns, if the format has a line of them. */
type Reader = (
  content: FileContent,
  entitySet: EntitySet,
  onColumns?: (names: readonly string[]) => void,
) => AsyncGenerator<Entry>;

/** Readers of the formats. */
export const readers: Readonly<Record<Format, Reader>> = {
  common: readCommonFormat,
  jsonl: readJsonLines,
  csv: readCsv,
};

async function* readJsonLines(content: FileContent): AsyncGenerator<Entry> {
  for await (const { line, text } of readLines(content)) yield jsonEntry(line, text);
}

type CsvRow = { readonly record: readonly string[]; readonly info: { readonly lines: number } };

/** A column of a CSV file: its place in each line, its name, and the property of that name. */
type CsvColumn = {
  readonly at: number;
  readonly name: string;
  readonly property: StructuralProperty | undefined;
};

/** Maximum number of successive lines that are no records. */
const maxSkipped = 10_000;

async function* readCsv(
  content: FileContent,
  { type }: EntitySet,
  onColumns: (names: readonly string[]) => void = () => {},
): AsyncGenerator<Entry> {
  const skipped: Entry[] = [];
  const blocks = utf8Lines(content);
  const begun = await blocks.next();
  const first: Buffer = begun.done === true ? Buffer.alloc(0) : begun.value;
  const source = Readable.from(joined(first, blocks));
  const rows: Parser = source.pipe(
    parse({
      bom: true,
      delimiter: delimiterOf(first.toString()),
      info: true,
      max_record_size: maxLine,
      skip_empty_lines: true,
      skip_records_with_error: true,
      on_skip: (error) => {
        const line = error === undefined ? 0 : Number(error["lines"]);
        skipped.push({ line, malformed: error?.code ?? "not CSV" });
        // They are kept in memory until the next record.
        if (skipped.length > maxSkipped)
          rows.destroy(
            new IngestError(
              `the file is not CSV: no line of ${maxSkipped} has the columns of the first line. The last is line ${line}`,
            ),
          );
      },
    }),
  );
  source.on("error", (error) => rows.destroy(error));
  let columns: readonly CsvColumn[] | undefined;
  try {
    for await (const { record, info } of rows as AsyncIterable<CsvRow>) {
      yield* skipped.splice(0);
      if (columns === undefined) {
        const names = columnNames(record, type.properties.keys());
        onColumns(names);
        columns = columnsOf(names, type.properties);
      } else yield { line: info.lines, record: typed(record, columns) };
    }
  } catch (cause) {
    if (cause instanceof CsvError) throw new IngestError(`the file is not CSV: ${cause.code}`, { cause });
    throw cause;
  } finally {
    source.destroy();
  }
  yield* skipped;
}

async function* joined(first: Buffer, others: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* others;
}

/** Returns the columns with these names. Of columns with the same name the last one counts. */
const columnsOf = (
  names: readonly string[],
  properties: ReadonlyMap<string, StructuralProperty>,
): readonly CsvColumn[] =>
  [...new Map(names.map((name, at) => [name, at]))].map(([name, at]) => ({
    at,
    name,
    property: properties.get(name),
  }));

function typed(cells: readonly string[], columns: readonly CsvColumn[]): Row {
  const values: [name: string, value: unknown][] = [];
  for (const { at, name, property } of columns) {
    const text = cells[at] ?? "";
    if (text !== "") values.push([name, cellValue(text, property)]);
  }
  return Object.fromEntries(values);
}

/** Types whose cells are numbers. A cell may have a leading plus: `+5`. */
const numericTypes: ReadonlySet<string> = new Set(["Edm.Decimal", "Edm.Int64"]);
const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Returns the JSON value of a cell, or the text itself if it is not a value of the property's type. A collection is a JSON array or a
 * comma-separated list.
 */
export function cellValue(text: string, property: StructuralProperty | undefined): unknown {
  if (property === undefined) return text;
  if (property.collection)
    return text.startsWith("[") ? (parseJson(text) ?? text) : text.split(",").map((item) => item.trim());
  if (property.type.startsWith("Edm.Geo")) return parseJson(text) ?? text;
  if (numericTypes.has(property.type)) return number.test(text) ? numberOf(text) : text;
  const codec = codecOf(property.type);
  const value = codec.parse(text);
  return value === undefined ? text : codec.toJson(value);
}
