import type { ExportColumn } from "../source/export-source.ts";
import { readType, sqlName, sqlText, writtenType } from "./duckdb-types.ts";

/** What the bytes of Parquet depend on, beside the rows. */
export type ParquetOptions = {
  /** Values of a row group, rounded to whole vectors of DuckDB: it holds a group in memory, of however many columns. */
  readonly cells: number;
  /** Of ZSTD. */
  readonly level: number;
};

/** Rows that DuckDB works on at once, and the most of a row group here. */
const [vector, mostRows] = [2048, 20_480];

const rowsOf = (cells: number, columns: number): number =>
  Math.min(mostRows, Math.max(1, Math.floor(cells / columns / vector)) * vector);

/** What DuckDB is asked to write. */
export type ParquetCopy = ParquetOptions & {
  readonly columns: readonly ExportColumn[];
  /** A file of `ExactLines`. */
  readonly from: string;
  readonly to: string;
  /** Where it may put down what memory does not hold. */
  readonly folder: string;
  /** Megabytes. */
  readonly memory: number;
};

/** One thread: with two, one run in eight has written other bytes. */
export const settingsOf = ({ memory, folder }: ParquetCopy): Record<string, string> => ({
  threads: "1",
  memory_limit: `${memory}MB`,
  temp_directory: folder,
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
});

/** The statements, one after the other. */
export function statementsOf({ columns, from, to, cells, level }: ParquetCopy): readonly string[] {
  const types = columns.map((column) => `${sqlName(column.name)}: ${sqlText(readType(column))}`);
  const shown = columns.map((column) => {
    const [name, written] = [sqlName(column.name), writtenType(column)];
    return readType(column) === written ? name : `${name}::${written} AS ${name}`;
  });
  const lines = `read_json(${sqlText(from)}, format = 'newline_delimited', columns = {${types.join(", ")}})`;
  const rows = rowsOf(cells, columns.length);
  const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${level}, ROW_GROUP_SIZE ${rows}`;
  return [
    "SET TimeZone = 'UTC'",
    `COPY (SELECT ${shown.join(", ")} FROM ${lines}) TO ${sqlText(to)} (${options})`,
  ];
}
