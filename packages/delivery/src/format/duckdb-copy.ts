import type { ExportColumn } from "../source.ts";
import { columnType, isRetyped, sqlName, sqlText } from "./duckdb-types.ts";

/** What DuckDB is asked to write. */
export type ParquetCopy = {
  readonly columns: readonly ExportColumn[];
  /** JSON lines of `ExactLines`. */
  readonly from: string;
  readonly to: string;
  /** Where it may put down what memory does not hold. */
  readonly folder: string;
  /** Megabytes. */
  readonly memory: number;
  /** Records. */
  readonly rowGroup: number;
  readonly level: number;
};

/** One thread: with two, a run in eight wrote other bytes. */
export const settingsOf = ({ memory, folder }: ParquetCopy): Readonly<Record<string, string>> => ({
  threads: "1",
  memory_limit: `${memory}MB`,
  temp_directory: folder,
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
});

/** The statements, one after the other. */
export function statementsOf({ columns, from, to, rowGroup, level }: ParquetCopy): readonly string[] {
  const read = columns.map((column) => {
    // The text of JSON is kept only if it is read as text.
    const type = columnType(column).replace(/^JSON/, "VARCHAR");
    return `${sqlName(column.name)}: ${sqlText(type)}`;
  });
  const shown = columns.map((column) => {
    const name = sqlName(column.name);
    return column.type === "json" && isRetyped(column) ? `${name}::${columnType(column)} AS ${name}` : name;
  });
  const lines = `read_json(${sqlText(from)}, format = 'newline_delimited', columns = {${read.join(", ")}})`;
  const options = `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL ${level}, ROW_GROUP_SIZE ${rowGroup}`;
  return [
    "SET TimeZone = 'UTC'",
    `COPY (SELECT ${shown.join(", ")} FROM ${lines}) TO ${sqlText(to)} (${options})`,
  ];
}
