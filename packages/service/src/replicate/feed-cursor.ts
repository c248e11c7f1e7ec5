import { z } from "zod";
import { deletionSources } from "./deletion-choice.ts";

const deletionPosition = z.object({
  /** How the source tells of deletions. */
  from: z.enum(deletionSources),
  /** Hash of the feed that the position belongs to. */
  feed: z.string(),
  /** The number of the last event, or a delta link. */
  position: z.string(),
});

/** Position up to which the deletions of a feed are staged. */
export type DeletionPosition = z.output<typeof deletionPosition>;

/** Position up to which a feed has been staged. */
export type FeedCursor = {
  /** Id of the feed, see `feedId`. */
  readonly feed: string;
  /** Latest `ModificationTimestamp` of a staged record, but not later than the replication: UTC in milliseconds. */
  readonly since: string;
  /** Undefined if the source is not asked for its deletions, or its feed keeps the position itself. */
  readonly deletions: DeletionPosition | undefined;
};

const cursorPattern = /^feed:([\da-f]{64}):(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?::(\{.*\}))?$/;

export const formatFeedCursor = ({ feed, since, deletions }: FeedCursor): string =>
  `feed:${feed}:${since}${deletions === undefined ? "" : `:${JSON.stringify(deletions)}`}`;

/** Parses the cursor of a replication. Undefined for other cursors, such as those of an ingest. */
export function parseFeedCursor(text: string | null): FeedCursor | undefined {
  const [, feed, since, deletions] = cursorPattern.exec(text ?? "") ?? [];
  if (feed === undefined || since === undefined) return undefined;
  return { feed, since, deletions: deletions === undefined ? undefined : parseDeletions(deletions) };
}

function parseDeletions(text: string): DeletionPosition | undefined {
  try {
    return deletionPosition.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
