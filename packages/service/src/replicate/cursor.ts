/** Position up to which a feed has been staged. */
export type FeedCursor = {
  /** Id of the feed, see `feedId`. */
  readonly feed: string;
  /** Latest `ModificationTimestamp` of a staged record, but not later than the replication: UTC in milliseconds. */
  readonly since: string;
};

const pattern = /^feed:([\da-f]{64}):(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

export const formatFeedCursor = ({ feed, since }: FeedCursor): string => `feed:${feed}:${since}`;

/** Parses the cursor of a replication. Undefined for other cursors, such as those of an ingest. */
export function parseFeedCursor(text: string | null): FeedCursor | undefined {
  const [, feed, since] = pattern.exec(text ?? "") ?? [];
  return feed === undefined || since === undefined ? undefined : { feed, since };
}
