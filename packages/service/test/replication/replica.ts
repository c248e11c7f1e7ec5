import { defaultRetryPolicy } from "@cadastre/client/http";
import type { Row } from "@cadastre/odata";
import { feedOf } from "../../src/replicate/feed.ts";
import type { FeedRequest } from "../../src/replicate/fetch-feed.ts";
import { latestOf } from "../../src/replicate/modification-times.ts";
import { allKeys, changedRecords } from "../../src/replicate/pages.ts";
import { bearer } from "../support/feed-server.ts";
import { versionOf } from "./changing-listings.ts";
import type { ListingsService } from "./listings-service.ts";

/** A copy of what a service has, kept by its next links as `cadastre replicate` keeps one. */
export type Replica = {
  /** Version of each listing, by key. */
  readonly copied: ReadonlyMap<string, string>;
  /** Take what was changed since the last time, or all; gives the keys that were met. `between` is done after each page. */
  readonly pull: (between?: () => Promise<void>) => Promise<ReadonlySet<string>>;
  /** Drop what the service has no more; gives the keys that were met. */
  readonly compareKeys: (between?: () => Promise<void>) => Promise<ReadonlySet<string>>;
};

export function createReplica({ odata, apiKey }: ListingsService, pageSize: number): Replica {
  const select = "ListingKey,ModificationTimestamp,City";
  const feed = feedOf(odata, "Property", { select, filter: undefined }, true);
  const authorization = bearer(apiKey);
  const asking: FeedRequest = {
    feed,
    authorization,
    retryPolicy: defaultRetryPolicy,
    pageSize,
    onRetry: () => {},
  };
  const copied = new Map<string, string>();
  let latest: number | null = null;

  /** @throws {Error} if a key comes twice. */
  async function walk(
    pages: AsyncIterable<readonly Row[]>,
    take: (records: readonly Row[]) => void,
    between: () => Promise<void>,
  ): Promise<ReadonlySet<string>> {
    const met = new Set<string>();
    for await (const records of pages) {
      for (const { ListingKey } of records) {
        const key = String(ListingKey);
        if (met.has(key)) throw new Error(`${key} came twice in one walk`);
        met.add(key);
      }
      take(records);
      await between();
    }
    return met;
  }

  return {
    copied,
    pull: (between = async () => {}) =>
      walk(
        changedRecords(asking, latest === null ? null : new Date(latest).toISOString(), "next"),
        (records) => {
          latest = latestOf(records, latest, feed.url);
          for (const record of records) copied.set(String(record["ListingKey"]), versionOf(record));
        },
        between,
      ),
    compareKeys: async (between = async () => {}) => {
      const met = await walk(allKeys(asking, "next"), () => {}, between);
      for (const key of copied.keys()) if (!met.has(key)) copied.delete(key);
      return met;
    },
  };
}
