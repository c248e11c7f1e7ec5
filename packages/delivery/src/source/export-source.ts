import type { Scope } from "@cadastre/entitlement";
import type { PrimitiveType, StructuralProperty } from "@cadastre/odata";

/**
 * Source of the records that exports read. `storeSource` implements it over this project's store; another server can implement it
 * over its own.
 */
export type ExportSource = {
  /** Version of the RESO Data Dictionary that column names are from, such as `2.0`. Absent if they are from none. */
  readonly dictionaryVersion?: string;
  /** Returns the number of the last change that is safe to read: no change at or below it can still appear. */
  readonly checkpoint: () => Promise<number>;
  /**
   * Returns the number of the last change made at or before a time, 0 if there was none, and the earliest number that can still be read.
   * Absent if no earlier state can be read.
   *
   * @param time milliseconds since 1970
   */
  readonly stateAt?: (time: number) => Promise<{ readonly checkpoint: number; readonly earliest: number }>;
  /** Returns the columns of a dataset that the scope shows, in header order; undefined if the scope does not show the dataset. */
  readonly columns: (dataset: string, scope: Scope) => readonly ExportColumn[] | undefined;
  /**
   * Reads the records of a dataset that the scope shows as of a checkpoint, in key order. Batches may be of any size; each one is valid
   * until the next one is requested.
   */
  readonly read: (request: ExportRead) => AsyncIterable<ExportBatch>;
  /**
   * Returns a text that identifies those inputs of the datasets' records that have no checkpoint. Changes between two checkpoints can be
   * determined only while it stays the same. Absent if there are no such inputs.
   */
  readonly basis?: (datasets: readonly string[]) => Promise<string>;
  /**
   * Checks the text of a condition on the records of a dataset, in the language of `$filter`, as the scope shows them. Returns a text that
   * identifies the properties that it names, with their types; undefined if the dataset takes no condition. Absent if none does.
   *
   * @throws {QueryError} with the place of the fault
   */
  readonly bindFilter?: (dataset: string, scope: Scope, filter: string) => string | undefined;
};

export type ExportRead = {
  readonly dataset: string;
  readonly scope: Scope;
  /** Names of the columns to read, all of which the scope shows. */
  readonly columns: readonly string[];
  readonly checkpoint: number;
  /** Position to start at: the `end` of an earlier batch; null for the first record. */
  readonly from: string | null;
  /** Reads only the changes since a checkpoint; without it all records. */
  readonly changes?: ExportChanges | undefined;
  /**
   * Reads only records that meet a condition: those of the domain's main dataset (the first one) directly, those of another dataset if
   * the record that they belong to does. In changes, records that come to meet it are rows, and those that cease to are removals.
   */
  readonly filter?: string | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Changes between an earlier checkpoint and the one that is read, for one scope. `rows`: records that the scope shows now but did not
 * show then, or showed with other values in the requested columns. `removals`: records that it showed then and does not show now; their
 * columns are the key and `removalReason`. No record is in both; a record in neither is unchanged.
 */
export type ExportChanges = { readonly since: number; readonly content: "rows" | "removals" };

export type ExportBatch = {
  /**
   * For each record a JSON object without white space, and a line feed, in UTF-8. Members are the requested columns, in the same order
   * for all records, without those that are null.
   */
  readonly lines: Uint8Array;
  /** Number of records. */
  readonly length: number;
  /** Position after the last record: text that only the source understands, independent of the size of batches. */
  readonly end: string;
};

/** A column of a dataset: a member of each of its records. */
export type ExportColumn = {
  readonly name: string;
  readonly type: ExportType;
  /** True if the value is a list of values of the type. */
  readonly collection: boolean;
  readonly nullable: boolean;
  /** Type and facets of the OData property with the same values. Without them the schema document states those that the type implies. */
  readonly facets?: ColumnFacets;
};

/** Type and facets of an OData property, as `$metadata` states them, and its standard name. */
export type ColumnFacets = Pick<StructuralProperty, "maxLength" | "precision" | "scale"> & {
  readonly edmType: PrimitiveType;
  /** Display name in the Data Dictionary, such as `List Price`. Absent for names that an operator may change. */
  readonly title?: string;
};

/** Type of a value. Each type has one form as JSON text. */
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
  /** A JSON number whose digits are all significant, with a precision of 1 to 38. */
  | { readonly decimal: readonly [precision: number, scale: number] }
  | { readonly struct: readonly ExportColumn[] };
