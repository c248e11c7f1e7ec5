import type { ResourceName } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";
import type { BatchCheck } from "../ingest/check-batch.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { addNotes, type NoteCounts, toldNotes } from "../ingest/notes.ts";
import { requireRejects } from "../ingest/rejects.ts";
import type { Source } from "../ingest/sources.ts";
import type { Asking } from "./ask-feed.ts";
import { addRejects, checkRecords } from "./check-records.ts";
import { cursorText, readCursor } from "./cursor.ts";
import { changesUrl, feedId } from "./feed.ts";
import { latestOf } from "./modification-times.ts";
import { pagesOf } from "./pages.ts";
import { removeGone } from "./remove-gone.ts";

export type Replication = {
  readonly store: Pick<WritableStore, "page" | "builds">;
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly resource: ResourceName;
  readonly source: Source;
  readonly asking: Asking;
  /** Whether the keys are compared as well: what the feed has no more is removed. */
  readonly full: boolean;
  /** Fields whose values are rounded instead of rejected if they have too many digits. */
  readonly rounding: BatchCheck["rounding"];
  /** File for rejected records, and for notes on changed ones. */
  readonly rejects: string;
  /** Rejected records that end the replication if there are more. */
  readonly maxRejects: number;
  /** Percentage of the source's records that may be removed because the feed no longer has them. */
  readonly maxShrink: number;
  /** Told when the last record that is staged was modified, in milliseconds since 1970, and the numbers so far. */
  readonly onProgress: (modified: number, counts: Counts) => void;
};

type Counts = {
  /** Records that the feed has given. */
  readonly read: number;
  /** Records that are staged. */
  readonly staged: number;
  readonly rejected: number;
  /** Number of changed records, by note and field. */
  readonly noted: NoteCounts;
};

export type ReplicationReport = Counts & {
  /** Records whose removal is staged. */
  readonly removed: number;
  /** Latest `ModificationTimestamp` up to now: the next replication begins there. Null before the first record. */
  readonly since: string | null;
};

/**
 * Stage what a feed has changed since it was staged last, in bounded memory, but for its keys where they are compared.
 * A run that was cut off goes on where it stood.
 *
 * @throws {FeedError} for a feed that does not answer as it must
 * @throws {IngestError} for more rejects than are allowed
 * @throws {StoreError} as `Builds.stage`
 */
export async function replicate(task: Replication): Promise<ReplicationReport> {
  const { asking, full } = task;
  await requireRejects(task.rejects);
  const feed = feedId(asking.feed);
  let after = await task.store.builds.cursor(task.resource, task.source.name);
  const known = readCursor(after);
  const since = known?.feed === feed ? known.since : null;
  // What a feed dates in the future is no reason to leave out what it changes until then.
  const now = Date.now();
  const untilNow = (time: number) => new Date(Math.min(time, now)).toISOString();
  let latest = since === null ? null : Date.parse(since);
  let [read, staged, rejected] = [0, 0, 0];
  let noted: NoteCounts = {};
  for await (const records of pagesOf(changesUrl(asking.feed, since), asking)) {
    latest = latestOf(records, latest, asking.feed.url);
    const checked = await checkRecords(records, task);
    read += records.length;
    rejected += checked.rejected;
    noted = addNotes(noted, checked.notes);
    await addRejects(task.rejects, [...checked.rejects, ...toldNotes(checked.notes)]);
    if (rejected > task.maxRejects) throw new IngestError(tooMany(rejected, task));
    // Nothing is taken that has no time.
    if (latest === null) continue;
    const cursor = cursorText({ feed, since: untilNow(latest) });
    const { changes } = await task.store.builds.stage(task.resource, task.source.name, checked.taken, {
      cursor,
      after,
    });
    after = cursor;
    staged += changes;
    task.onProgress(latest, { read, staged, rejected, noted });
  }
  const removed = full ? await removeGone(task) : 0;
  return { read, staged, rejected, noted, removed, since: latest === null ? null : untilNow(latest) };
}

const tooMany = (rejected: number, { maxRejects, rejects }: Replication): string =>
  `${rejected} records are rejected, more than ${maxRejects}, see ${rejects}: allow more with --max-rejects`;
