import type { ReadOptions } from "../store.ts";

/** Versions that were closed since a checkpoint: all of them, or those whose record is still there. */
export type Closed = "all" | "present";

/** A state that is read, and what of it counts that was closed since. */
export type Past = {
  readonly checkpoint: number;
  readonly closed: Closed;
  /** Only what has changed. */
  readonly changes?: Changes | undefined;
};

/** Versions of a state that began after an earlier checkpoint, or that have ended by a later one. */
export type Changes = (
  | { readonly kind: "began"; readonly since: number }
  | { readonly kind: "ended"; readonly until: number }
) & {
  /** Whether they are hardly any, so that their index is better than one in the query's order. */
  readonly few: boolean;
};

/**
 * The state that a page is of; undefined: what is there now.
 *
 * @param isFew whether hardly any version began or ended after a checkpoint; by default the database finds out
 */
export function pastOf(
  { asOf, since, until, from }: Pick<ReadOptions, "asOf" | "since" | "until" | "from">,
  isFew: (checkpoint: number) => boolean = () => true,
): Past | undefined {
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
