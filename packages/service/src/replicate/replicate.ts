import type { ResourceName } from "@cadastre/reso";
import { acceptedValuesHash } from "../ingest/accepted-values.ts";
import type { BatchCheck } from "../ingest/check-batch.ts";
import { addNotes, type NoteCounts, toldNotes } from "../ingest/notes.ts";
import { type RejectLimit, requireFewRejects } from "../ingest/reject-limit.ts";
import { type RejectReason, RejectReasons } from "../ingest/reject-reasons.ts";
import { requireRejects } from "../ingest/rejects.ts";
import { requireNotRetired, type Source } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";
import { isAborted, runStopped } from "./abort.ts";
import { appendFeedRejects, checkRecords } from "./check-records.ts";
import { feedId } from "./feed.ts";
import { formatFeedCursor, parseFeedCursor } from "./feed-cursor.ts";
import type { FeedRequest } from "./fetch-feed.ts";
import { addLatest, type LatestRecords, withoutStaged } from "./latest-records.ts";
import { latestAnyOrder, latestOf } from "./modification-times.ts";
import { changedRecords, type Paging } from "./pages.ts";
import { removeGone } from "./remove-gone.ts";

export type Replication = {
  readonly store: Pick<Listings, "page" | "builds" | "catalog">;
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly resource: ResourceName;
  readonly source: Source;
  readonly asking: FeedRequest;
  /** By default `next`. */
  readonly paging?: Paging | undefined;
  /** True to also compare all keys, and remove the records that the feed no longer has. */
  readonly full: boolean;
  /** Records that the last run has staged. They are not staged again if the cursor is still at their time. */
  readonly latest?: LatestRecords | undefined;
  /** Fields whose values are rounded instead of rejected if they have too many digits. */
  readonly rounding: BatchCheck["rounding"];
  /** File for rejected records, and for notes on changed ones. */
  readonly rejects: string;
  /** Limit on rejected records. More end the replication. */
  readonly rejectLimit: RejectLimit;
  /** Percentage of the source's records that may be removed because the feed no longer has them. */
  readonly maxShrink: number;
  /** Called after each page with the latest `ModificationTimestamp` that was staged, in milliseconds since 1970, and the counts so far. */
  readonly onProgress: (modified: number, counts: Counts) => void;
};

type Counts = {
  /** Number of records in the feed's answers. */
  readonly read: number;
  /** Number of staged changes. */
  readonly staged: number;
  readonly rejected: number;
  /** Number of changed records, by note and field. */
  readonly noted: NoteCounts;
};

export type FeedReport = Counts & {
  /** Number of records whose removal is staged. */
  readonly removed: number;
  /** Latest `ModificationTimestamp`, but not in the future: the next replication starts there. Null if no record was staged yet. */
  readonly since: string | null;
  readonly latest: LatestRecords | undefined;
  /** Reasons why records were rejected. */
  readonly reasons: readonly RejectReason[];
};

/**
 * Stages the records that a feed has changed since the last replication. An interrupted run continues after its last page. Memory is
 * bounded, except for the keys if they are compared.
 *
 * @throws {FeedError} if an answer of the feed is invalid
 * @throws {RecordsRejected} if more records are rejected than allowed
 * @throws {StoreError} as `Builds.stage`
 */
export async function replicateFeed(task: Replication): Promise<FeedReport> {
  const { asking, full, paging = "next" } = task;
  await requireNotRetired(task.store.builds, task.source);
  await requireRejects(task.rejects);
  const feed = feedId(asking.feed, acceptedValuesHash(task.store.catalog, task.resource, task.source));
  let after = await task.store.builds.cursor(task.resource, task.source.name);
  const known = parseFeedCursor(after);
  const since = known?.feed === feed ? known.since : null;
  const deletions = known?.deletions;
  // A timestamp in the future must not become the cursor: the changes made until then would be skipped.
  const now = Date.now();
  const untilNow = (time: number) => new Date(Math.min(time, now)).toISOString();
  let latest = since === null ? null : Date.parse(since);
  // Records are known to be staged only if the cursor is at their time. It may have been set back since, or be that of another feed.
  const before = latest !== null && latest === task.latest?.modified ? task.latest : undefined;
  let latestRecords = before;
  let [read, staged, rejected] = [0, 0, 0];
  let noted: NoteCounts = {};
  const reasons = new RejectReasons();
  for await (const records of changedRecords(asking, since, paging)) {
    if (isAborted(asking.signal)) throw runStopped();
    latest = paging === "key" ? latestAnyOrder(records, latest) : latestOf(records, latest, asking.feed.url);
    read += records.length;
    const changed = withoutStaged(records, before);
    if (changed.length === 0) continue;
    const checked = await checkRecords(changed, task);
    rejected += checked.rejected;
    noted = addNotes(noted, checked.notes);
    await appendFeedRejects(task.rejects, [...checked.rejects, ...toldNotes(checked.notes)]);
    reasons.add(checked.rejects);
    requireFewRejects({ read, rejected }, task.rejectLimit, { file: task.rejects, reasons });
    // Without a timestamp every record of the page was rejected, so there is nothing to stage.
    if (latest === null) continue;
    // In the order of keys a page says nothing about what was modified before: an interrupted run begins anew.
    const reached = paging === "key" ? (since ?? beginning) : untilNow(latest);
    const cursor = formatFeedCursor({ feed, since: reached, deletions });
    const { changes } = await task.store.builds.stage(task.resource, task.source.name, checked.taken, {
      cursor,
      after,
    });
    after = cursor;
    staged += changes;
    // A record that was rejected may be taken the next time, such as a photo whose listing was unknown.
    if (checked.rejected === 0) latestRecords = addLatest(latestRecords, changed);
    task.onProgress(latest, { read, staged, rejected, noted });
  }
  if (paging === "key" && latest !== null && after !== null) {
    const cursor = formatFeedCursor({ feed, since: untilNow(latest), deletions });
    if (cursor !== after)
      await task.store.builds.stage(task.resource, task.source.name, [], { cursor, after });
  }
  const removed = full ? await removeGone(task) : 0;
  return {
    read,
    staged,
    rejected,
    noted,
    removed,
    since: latest === null ? null : untilNow(latest),
    latest: latestRecords,
    reasons: reasons.found(),
  };
}

/** Cursor of a feed of whose records the first ones alone are staged. */
const beginning = "1970-01-01T00:00:00.000Z";
