import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import type { Session } from "../database/session.ts";
import { recordChecksum } from "../record/assemble.ts";
import { recordColumns, recordText, type TableSchema } from "../schema/table.ts";
import { type RowUpdate, updateRows } from "./update-rows.ts";

/**
 * Computes the checksums of rows that have none, see `recordChecksum`.
 *
 * @param name name of the table of current or of closed versions
 * @param datasetId expression for the dataset id of a row
 * @param where a condition that holds for all rows without a checksum, so that an index finds them
 */
export async function fillChecksums(
  session: Session,
  table: TableSchema,
  name: string,
  datasetId: SqlFragment,
  { where = sql`true`, onRows }: Pick<RowUpdate, "where" | "onRows"> = {},
): Promise<void> {
  const checksum = identifier(recordColumns.checksum);
  await updateRows(session, table, name, {
    read: [datasetId, identifier(recordColumns.members), recordText],
    where: sql`${where} and ${checksum} is null`,
    columns: [checksum],
    valuesOf: ([dataset, members, text]) => [
      recordChecksum(dataset as string | null, members as string, text as string),
    ],
    onRows,
  });
}
