import type { Scope } from "@cadastre/entitlement";
import type { ExportBatch, ExportColumn, ExportRead } from "./export-source.ts";

/** Reader of one dataset, from which an `ExportSource` is made. */
export type DatasetReader = {
  /** See `ExportSource.columns`. */
  readonly columns: (scope: Scope) => readonly ExportColumn[] | undefined;
  /** See `ExportSource.read`. */
  readonly read: (request: ExportRead) => AsyncIterable<ExportBatch>;
  /** See `ExportSource.basis`. */
  readonly basis?: () => Promise<string>;
  /** See `ExportSource.bindFilter`. Absent if the dataset takes no condition of its own. */
  readonly bindFilter?: (scope: Scope, filter: string) => string;
};
