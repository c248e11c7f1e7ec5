import { z } from "zod";

/** A record as JSON, with its key and its `ModificationTimestamp`. */
export type ReplicaRecord = { readonly key: string; readonly modified: string; readonly json: string };

/** A change of a copy: a record, or the key of one that is not in the result any more. */
export type ReplicaChange = ReplicaRecord | { readonly removed: string };

export const replicaPosition = z.object({
  /** Options that decide which records and fields the copy has. */
  query: z.string(),
  /** `walk`: all records are being read. `delta`: changes are read by delta links. `timestamps`: the service has no delta links. */
  by: z.enum(["walk", "delta", "timestamps"]),
  /** Path of the next request: that of a next link or a delta link. Null with `timestamps`. */
  path: z.string().nullable(),
  /** True in a walk at whose end records of the copy are removed that it did not have. */
  compares: z.boolean(),
});

/** How far a copy has come, and how it goes on. */
export type ReplicaPosition = z.output<typeof replicaPosition>;

/** State of a copy of one entity set. */
export type ReplicaProgress = {
  /** Latest `ModificationTimestamp` by which changes can be asked for; null if there is no record. */
  readonly modified: string | null;
  /** Null for a copy of an earlier release, and for one whose records are lost. */
  readonly position: ReplicaPosition | null;
  /** True if the table of the copy was dropped. */
  readonly isLost: boolean;
};

/** A page to be applied in one transaction, with the position after it. */
export type ReplicaPage = {
  readonly keyField: string;
  /** In the order in which they are to be applied. */
  readonly changes: readonly ReplicaChange[];
  readonly position: ReplicaPosition;
  /** True for the first page of a walk. */
  readonly begins?: boolean;
  /** Keys of the records that the copy may keep: those of the walk that this page ends, or these. By default all are kept. */
  readonly keeps?: "walked" | ReadonlySet<string>;
};

/** A copy of entity sets that can be continued after an interruption. */
export type Replica = {
  /** Returns the state of the copy of an entity set; undefined if there is none. */
  readonly state: (resource: string) => Promise<ReplicaProgress | undefined>;
  /**
   * Applies a page in one transaction. Returns how many records were removed because the page does not keep them.
   *
   * @throws {ClientError} `replica_in_use` if another run has changed the copy since `state`
   */
  readonly apply: (resource: string, page: ReplicaPage) => Promise<number>;
  readonly close: () => Promise<void>;
};

/** Parses the text of a position. Null if it is not one. */
export function parsePosition(text: unknown): ReplicaPosition | null {
  try {
    return replicaPosition.parse(JSON.parse(String(text)));
  } catch {
    return null;
  }
}
