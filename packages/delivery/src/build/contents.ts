import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveredDataset, OutputProfile } from "../profiles/profile.ts";
import { removalColumns } from "../source/delta.ts";
import type { ExportChanges, ExportColumn } from "../source/export-source.ts";

/** A content of a delivery: rows or removals of one dataset, in consecutive parts. */
export type PartsOf = {
  readonly dataset: string;
  readonly columns: readonly ExportColumn[];
  /** Undefined: all records. */
  readonly changes: ExportChanges | undefined;
};

/** Returns the contents of a delivery in the order of its parts. A delta has the rows of each dataset, then its removals. */
export const contentsOf = (
  { fromCheckpoint: since }: Pick<Delivery, "fromCheckpoint">,
  datasets: readonly DeliveredDataset[],
  { removalReason }: Pick<OutputProfile, "removalReason">,
): readonly PartsOf[] =>
  datasets.flatMap(({ name: dataset, keyField, columns }): readonly PartsOf[] => {
    if (since === null) return [{ dataset, columns, changes: undefined }];
    const removed = removalColumns(keyField, columns, removalReason);
    return [
      { dataset, columns, changes: { since, content: "rows" } },
      { dataset, columns: removed, changes: { since, content: "removals" } },
    ];
  });
