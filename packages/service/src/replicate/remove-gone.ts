import { keyFieldOf, type ResourceName } from "@cadastre/reso";
import type { Change, WritableStore } from "@cadastre/store";
import { ownKeys } from "../ingest/full-set.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { describeSet, exceeds, lossText } from "../ingest/set-loss.ts";
import type { Source } from "../ingest/sources.ts";
import { shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import type { FeedRequest } from "./fetch-feed.ts";
import { allKeys, type Paging } from "./pages.ts";

/** Task of removing what a feed no longer has. */
export type Removal = {
  readonly store: Pick<WritableStore, "builds">;
  readonly resource: ResourceName;
  readonly source: Source;
  readonly asking: FeedRequest;
  /** By default `next`. */
  readonly paging?: Paging | undefined;
  /** Percentage of the source's records that may be removed. */
  readonly maxShrink: number;
};

/**
 * Stages the removal of the source's records that the feed no longer has, and returns their number. Keeps all keys of the feed in memory.
 * Nothing is removed if it throws.
 *
 * @throws {FeedError} if the keys cannot be read completely, or there are none
 * @throws {IngestError} if more than `maxShrink` percent would be removed
 */
export async function removeGone(task: Removal): Promise<number> {
  const { store, resource, source, asking, maxShrink } = task;
  const there = await readKeys(resource, asking, task.paging);
  const cursor = await store.builds.cursor(resource, source.name);
  if (cursor === null) return 0;
  const gone: Change[] = [];
  let before = 0;
  for await (const keys of ownKeys(store.builds, resource, source.name)) {
    before += keys.length;
    for (const key of keys)
      if (!there.has(key)) gone.push({ resource, datasetId: source.datasetId, removed: [key] });
  }
  const loss = { before, removed: gone.length };
  if (exceeds(loss, maxShrink)) throw new IngestError(refusal(task, loss));
  if (gone.length === 0) return 0;
  return (await store.builds.stage(resource, source.name, gone, { cursor, after: cursor })).changes;
}

const refusal = (
  { resource, source, maxShrink }: Removal,
  loss: { readonly before: number; readonly removed: number },
): string =>
  `${lossText(describeSet(resource, source.name), loss, maxShrink)}. The feed's changes are staged, its removals are not. To remove these records, replicate with --full --allow-shrink`;

async function readKeys(
  resource: ResourceName,
  asking: FeedRequest,
  paging: Paging = "next",
): Promise<ReadonlySet<string>> {
  const { feed } = asking;
  const name = keyFieldOf(resource);
  const keys = new Set<string>();
  for await (const records of allKeys(asking, paging)) {
    for (const { [name]: key } of records) {
      if (typeof key !== "string") throw new FeedError(`${shown(feed.url)} gave a record without its key`);
      keys.add(key);
    }
  }
  if (keys.size === 0) throw new FeedError(`${shown(feed.url)} gave no key: nothing is removed`);
  return keys;
}
