import type { ExportColumn } from "../source/export-source.ts";
import { readType, sqlName, sqlText, writtenType } from "./duckdb-types.ts";

/** Options that determine the bytes of a Parquet file, together with its rows. */
export type ParquetOptions = {
  /** Values per row group, rounded down to whole vectors of DuckDB. Limits memory: DuckDB holds a row group, however many its columns. */
  readonly cells: number;
  /** Compression level of ZSTD. */
  readonly level: number;
};

/** Rows in a vector of DuckDB, and the largest number of rows in a row group. */
const [vector, mostRows] = [2048, 20_480];

const rowsOf = (cells: number, columns: number): number =>
  Math.min(mostRows, Math.max(1, Math.floor(cells / columns / vector)) * vector);

/** A job for DuckDB: write the rows of a file as Parquet. */
export type ParquetCopy = ParquetOptions & {
  readonly columns: readonly ExportColumn[];
  /** File of lines that `ExactLines` has rewritten. */
  readonly from: string;
  readonly to: string;
  /** Folder that DuckDB spills to when it exceeds its memory limit. */
  readonly folder: string;
  /** Memory limit in megabytes. */
  readonly memory: number;
};

/** Returns the settings of DuckDB. One thread: with two, one run in eight wrote different bytes. */
export const duckdbSettings = ({ memory, folder }: ParquetCopy): Record<string, string> => ({
  threads: "1",
  memory_limit: `${memory}MB`,
  temp_directory: folder,
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
});

/** Returns the statements of a job, in order. */
export function copyStatements({ columns, from, to, cells, level }: ParquetCopy): readonly string[] {
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
