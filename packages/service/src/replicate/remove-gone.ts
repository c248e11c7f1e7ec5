import type { WritableStore } from "@cadastre/store";
import type { Asking } from "./ask-feed.ts";
import { keysUrl, shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";
import { pagesOf } from "./pages.ts";
import type { Replication } from "./replicate.ts";

/**
 * Stage the removal of the source's records whose keys the feed does not give any more, and tell how many they are.
 * The keys are kept in memory.
 *
 * @throws {FeedError} and removes nothing, unless the feed gives all of its keys, one or more.
 */
export async function removeGone({
  store,
  resource,
  source,
  asking,
}: Pick<Replication, "store" | "resource" | "source" | "asking">): Promise<number> {
  const there = await readKeys(asking);
  const cursor = await store.builds.cursor(resource, source.name);
  let removed = 0;
  for await (const keys of ownKeys(store.builds, resource, source.name)) {
    const gone = keys.filter((key) => !there.has(key)).map((key) => ({ resource, removed: [key] }));
    if (gone.length === 0 || cursor === null) continue;
    const { changes } = await store.builds.stage(resource, source.name, gone, { cursor, after: cursor });
    removed += changes;
  }
  return removed;
}

async function readKeys(asking: Asking): Promise<ReadonlySet<string>> {
  const { feed } = asking;
  const keys = new Set<string>();
  for await (const records of pagesOf(keysUrl(feed), asking)) {
    for (const { [feed.key]: key } of records) {
      if (typeof key !== "string") throw new FeedError(`${shown(feed.url)} gave a record without its key`);
      keys.add(key);
    }
  }
  if (keys.size === 0) throw new FeedError(`${shown(feed.url)} gave no key: nothing is removed`);
  return keys;
}

/** Keys of the source's records, those that are staged too. */
async function* ownKeys(
  builds: WritableStore["builds"],
  resource: string,
  source: string,
): AsyncGenerator<readonly string[]> {
  for (let after: readonly unknown[] | undefined; ; ) {
    const keys = await builds.keys(resource, source, after);
    if (keys.length === 0) return;
    yield keys.map(([key]) => String(key));
    after = keys.at(-1);
  }
}
