import type { Scope } from "@cadastre/entitlement";
import type { ExportBatch, ExportColumn, ExportRead } from "./export-source.ts";

/** What an `ExportSource` has of one dataset. */
export type DatasetReader = {
  /** See `ExportSource.columns`. */
  readonly columns: (scope: Scope) => readonly ExportColumn[] | undefined;
  /** See `ExportSource.read`. */
  readonly read: (request: ExportRead) => AsyncIterable<ExportBatch>;
  /** See `ExportSource.basis`. */
  readonly basis?: () => Promise<string>;
};
