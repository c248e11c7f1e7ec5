import type { DeletionChoice, DeletionSource } from "./deletion-choice.ts";
import { feedId } from "./feed.ts";
import { type DeletionPosition, formatFeedCursor, parseFeedCursor } from "./feed-cursor.ts";
import type { Removal } from "./remove-gone.ts";
import { deletionSourceOf, removeDeleted } from "./told-deletions.ts";

/** How a run finds what its source has deleted. */
export type DeletionPlan = {
  /** `keys`: by a comparison of all keys. `none`: not at all. */
  readonly by: DeletionSource | "keys" | "none";
  /** True if the run compares all keys, though the source tells of its deletions. */
  readonly compares: boolean;
  /** Position in the cursor of the source; undefined without one. */
  readonly known: DeletionPosition | undefined;
};

/**
 * Plans how the deletions of a source are found. With `auto` all keys are compared if the source does not tell of deletions.
 *
 * @param full true to compare all keys in any case
 */
export async function planDeletions(
  choice: DeletionChoice,
  full: boolean,
  { store, resource, source, asking }: Removal,
): Promise<DeletionPlan> {
  const cursor = parseFeedCursor(await store.builds.cursor(resource, source.name));
  const from = await deletionSourceOf(choice, cursor?.deletions?.from, asking);
  if (from === undefined) {
    const compares = full || choice === "keys" || choice === "auto";
    return { by: compares ? "keys" : "none", compares, known: undefined };
  }
  const isKnown = cursor?.deletions?.feed === feedId(asking.feed, from);
  const known = isKnown ? cursor.deletions : undefined;
  // Without a position the keys are compared when the deletions are read.
  return { by: from, compares: full && known !== undefined, known };
}

/**
 * Stages what the source has deleted since the position in its cursor, and then moves the position. Returns the number of removals.
 *
 * @throws {FeedError | IngestError} as `removeDeleted`
 */
export async function stageDeletions({ by, known }: DeletionPlan, task: Removal): Promise<number> {
  if (by === "keys" || by === "none") return 0;
  const { store, resource, source, asking } = task;
  const { removed, position } = await removeDeleted(by, known?.position, task);
  const after = await store.builds.cursor(resource, source.name);
  const cursor = parseFeedCursor(after);
  if (cursor !== undefined) {
    const deletions: DeletionPosition = { from: by, feed: feedId(asking.feed, by), position };
    const moved = formatFeedCursor({ ...cursor, deletions });
    if (moved !== after) await store.builds.stage(resource, source.name, [], { cursor: moved, after });
  }
  return removed;
}
