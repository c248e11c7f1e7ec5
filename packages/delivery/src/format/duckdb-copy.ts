import type { ExportColumn } from "../source.ts";
import { readType, sqlName, sqlText, writtenType } from "./duckdb-types.ts";

/** What DuckDB is asked to write. */
export type ParquetCopy = {
  readonly columns: readonly ExportColumn[];
  /** A file of `ExactLines`. */
  readonly from: string;
  readonly to: string;
  /** Where it may put down what memory does not hold. */
  readonly folder: string;
  /** Megabytes. */
  readonly memory: number;
  /** Records of a row group. */
  readonly rowGroup: number;
  /** Of ZSTD. */
  readonly level: number;
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
export function statementsOf({ columns, from, to, rowGroup, level }: ParquetCopy): readonly string[] {
  const types = columns.map((column) => `${sqlName(column.name)}: ${sqlText(readType(column))}`);
  const shown = columns.map((column) => {
    const [name, written] = [sqlName(column.name), writtenType(column)];
    return readType(column) === written ? name : `${name}::${written} AS ${name}`;
  });
  const lines = `read_json(${sqlText(from)}, format = 'newline_delimited', columns = {${types.join(", ")}})`;
  const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${level}, ROW_GROUP_SIZE ${rowGroup}`;
  return [
    "SET TimeZone = 'UTC'",
    `COPY (SELECT ${shown.join(", ")} FROM ${lines}) TO ${sqlText(to)} (${options})`,
  ];
}
