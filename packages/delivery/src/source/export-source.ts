import type { Scope } from "@cadastre/entitlement";

/**
 * What exports read. `storeSource` implements it over the store of this project; another server implements it over
 * its own.
 */
export type ExportSource = {
  /** Number of the last change that is safe to read: nothing at or below it can still appear. */
  readonly checkpoint: () => Promise<number>;
  /** What records of a dataset have, as the scope shows them, in the order of a header; undefined: it shows no such dataset. */
  readonly columns: (dataset: string, scope: Scope) => readonly ExportColumn[] | undefined;
  /**
   * The records of a dataset that the scope shows as of a checkpoint, in the order of their key. Batches may be of any
   * size, and hold what is read until the next one is asked for.
   */
  readonly read: (request: ExportRead) => AsyncIterable<ExportBatch>;
  /**
   * What the records of datasets are made by beside what has a checkpoint, as text: changes between two checkpoints are told as
   * long as it stays the same. Absent: nothing.
   */
  readonly basis?: (datasets: readonly string[]) => Promise<string>;
};

export type ExportRead = {
  readonly dataset: string;
  readonly scope: Scope;
  /** Names of columns of the dataset that the scope shows. */
  readonly columns: readonly string[];
  readonly checkpoint: number;
  /** Where to start: the `end` of a batch before; null: at the first record. */
  readonly from: string | null;
  /** Only what has changed since; without it all that there is. */
  readonly changes?: ExportChanges | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * What lies between an earlier checkpoint and the one that is read as of, for one scope. `rows`: records that the scope shows now, and
 * did not show then or with other values in the columns that are asked for. `removals`: records that it showed then and does not
 * show now; their columns are the key and `removalReason`. No record is among both, and one that is among neither is the same.
 */
export type ExportChanges = { readonly since: number; readonly content: "rows" | "removals" };

export type ExportBatch = {
  /**
   * A JSON object without white space and a line feed for each record, in UTF-8: the columns that were asked for, in one
   * order for all records, those that are null left out.
   */
  readonly lines: Uint8Array;
  /** Number of records. */
  readonly length: number;
  /** Position after the last record: text that only the source understands, the same whatever the batch's size. */
  readonly end: string;
};

/** A member of a record. */
export type ExportColumn = {
  readonly name: string;
  readonly type: ExportType;
  /** Whether it is a list of values of the type. */
  readonly collection: boolean;
  readonly nullable: boolean;
};

/** What a value is: JSON text in one form for each. */
export type ExportType =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  /** `2024-01-15T08:30:00.123Z` */
  | "timestamp"
  /** `2024-01-15` */
  | "date"
  /** `08:30:00` with up to six digits of a fraction */
  | "time"
  /** Any JSON value */
  | "json"
  /** Precision (1 to 38) and scale; a JSON number, all of whose digits count */
  | { readonly decimal: readonly [precision: number, scale: number] }
  | { readonly struct: readonly ExportColumn[] };
