import type { ReadOptions } from "../store.ts";

/** Versions that were closed since a checkpoint: all of them, or those whose record is still there. */
export type Closed = "all" | "present";

/** A state that is read, and what of it counts that was closed since. */
export type Past = { readonly checkpoint: number; readonly closed: Closed };

/** The state that a page is of; undefined: what is there now. */
export function pastOf({ asOf, from }: Pick<ReadOptions, "asOf" | "from">): Past | undefined {
  if (asOf === undefined) return from && { checkpoint: from.checkpoint, closed: "present" };
  if (from !== undefined && from.checkpoint !== asOf)
    throw new RangeError(`a bookmark of checkpoint ${from.checkpoint} cannot go on as of ${asOf}`);
  return { checkpoint: asOf, closed: "all" };
}
