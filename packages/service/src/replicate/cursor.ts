/** How far a feed has been staged. */
export type FeedCursor = {
  /** Which feed: see `feedId`. */
  readonly feed: string;
  /** Latest `ModificationTimestamp` that was met, up to the time of the replication; whole milliseconds of UTC. */
  readonly since: string;
};

const pattern = /^feed:([\da-f]{64}):(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

export const cursorText = ({ feed, since }: FeedCursor): string => `feed:${feed}:${since}`;

/** The cursor of a replication; undefined for one of another kind. */
export function readCursor(text: string | null): FeedCursor | undefined {
  const [, feed, since] = pattern.exec(text ?? "") ?? [];
  return feed === undefined || since === undefined ? undefined : { feed, since };
}
