import { nativeLines } from "../content/native-lines.ts";
import { isText, type PartFile, readPart } from "../content/read-part.ts";
import { ClientError } from "../errors.ts";
import { parquetLines } from "./parquet-lines.ts";
import type { Table } from "./session.ts";

/**
 * Reads the records of a part as JSON texts, for a database that cannot read the part itself.
 *
 * @throws {ClientError} `format_not_loadable` for Parquet without a schema document, and errors of the readers
 */
export function recordLines(
  { schema, described }: Pick<Table, "schema" | "described">,
  part: PartFile,
): AsyncIterable<readonly string[]> {
  const { format } = part.profile;
  if (isText(format)) return schema === undefined ? readPart(part) : nativeLines(part, schema);
  if (described !== undefined) return parquetLines(part, described);
  throw new ClientError("format_not_loadable", {
    format: `${format} without a schema document`,
    targets: "a folder or DuckDB",
  });
}
