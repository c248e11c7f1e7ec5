import type { ReadOptions } from "../store.ts";

/**
 * The versions closed since a checkpoint that a read includes: all of them, or only those of records that still have a current
 * version.
 */
export type ClosedVersions = "all" | "present";

/** The checkpoint to read as of, and which closed versions to include. */
export type HistoricalState = {
  readonly checkpoint: number;
  readonly closed: ClosedVersions;
  /** If set, only the records changed since or until another checkpoint are read. */
  readonly changes?: Changes | undefined;
};

/** Limits the versions of a state to those that began after an earlier checkpoint, or to those that ended by a later one. */
export type Changes = (
  | { readonly kind: "began"; readonly since: number }
  | { readonly kind: "ended"; readonly until: number }
) & {
  /**
   * True if only few versions changed, so that the index on their beginning or end is better than one in the query's order.
   */
  readonly few: boolean;
};

/**
 * Returns the state that a page reads; undefined for the current one.
 *
 * @param isFew returns true if only few versions began or ended after a checkpoint. By default it is always true: PostgreSQL's planner
 * decides by its own statistics.
 */
export function pastOf(
  { asOf, since, until, from }: Pick<ReadOptions, "asOf" | "since" | "until" | "from">,
  isFew: (checkpoint: number) => boolean = () => true,
): HistoricalState | undefined {
  if (asOf === undefined) {
    if (since !== undefined || until !== undefined)
      throw new RangeError("changes are read as of a checkpoint");
    return from && { checkpoint: from.checkpoint, closed: "present" };
  }
  if (from !== undefined && from.checkpoint !== asOf)
    throw new RangeError(`a bookmark of checkpoint ${from.checkpoint} cannot go on as of ${asOf}`);
  if (since !== undefined && until !== undefined)
    throw new RangeError("either what began or what ended is read");
  const past = { checkpoint: asOf, closed: "all" } as const;
  if (since !== undefined) return { ...past, changes: { kind: "began", since, few: isFew(since) } };
  if (until !== undefined) return { ...past, changes: { kind: "ended", until, few: isFew(asOf) } };
  return past;
}
