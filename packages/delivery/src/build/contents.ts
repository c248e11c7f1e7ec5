import type { Delivery } from "../ledger/delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import type { DeliveredDataset } from "../profiles/schema.ts";
import { removalColumns } from "../source/delta.ts";
import type { ExportChanges, ExportColumn } from "../source/export-source.ts";

/** What of a dataset a delivery's parts hold one after the other. */
export type PartsOf = {
  readonly dataset: string;
  readonly columns: readonly ExportColumn[];
  /** Undefined: all that there is. */
  readonly changes: ExportChanges | undefined;
};

/** What a delivery holds, in the order of its parts: of a delta the rows of each dataset, then what is removed of it. */
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
