/**
 * Exports of what an entitlement grants: immutable parts in JSON lines, CSV or Parquet.
 *
 * @module
 */
export type { ExportBatch, ExportColumn, ExportRead, ExportSource, ExportType } from "./source.ts";
