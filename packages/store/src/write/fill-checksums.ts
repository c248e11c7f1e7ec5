import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import type { Session } from "../database/session.ts";
import { recordChecksum } from "../record/record-checksum.ts";
import { recordColumns, recordText, type TableSchema } from "../schema/table.ts";
import { type RowUpdate, updateRows } from "./update-rows.ts";

/**
 * Computes the checksums of all rows after a migration has added their column, see `recordChecksum`.
 *
 * @param name name of the table of current or of closed versions
 * @param datasetId expression for the dataset id of a row
 */
export async function fillChecksums(
  session: Session,
  table: TableSchema,
  name: string,
  datasetId: SqlFragment,
  { onRows }: Pick<RowUpdate, "onRows"> = {},
): Promise<void> {
  const checksum = identifier(recordColumns.checksum);
  await updateRows(session, table, name, {
    read: [datasetId, identifier(recordColumns.members), recordText],
    where: sql`${checksum} is null`,
    columns: [checksum],
    valuesOf: ([dataset, members, text]) => [
      recordChecksum(dataset as string | null, members as string, text as string),
    ],
    onRows,
  });
}
