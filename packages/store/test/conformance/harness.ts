import { expect } from "vitest";
import type { Page, ReadOptions, StoredResource, WritableStore } from "../../src/index.ts";
import { type Asked, ask, everything, stored } from "../support/listings.ts";

export type OpenOptions = {
  readonly resources?: readonly StoredResource[];
  /** Milliseconds. */
  readonly timeout?: number;
  readonly queue?: number;
  /** Threads or connections that read. */
  readonly readers?: number;
};

/** A kind of store as the conformance cases see it. */
export type Harness = {
  /** Whether queries run beside each other, and can be given up. */
  readonly isConcurrent: boolean;
  /** Open the store of this name, which is made if it does not exist. */
  readonly open: (name: string, options?: OpenOptions) => Promise<WritableStore>;
};

let opened = 0;

/** A store of its own, that starts empty. */
export const openEmpty = (harness: Harness, options?: OpenOptions): Promise<WritableStore> =>
  harness.open(`store_${++opened}`, { resources: [stored], ...options });

/** Use a store of its own, which starts empty, and close it. */
export async function withEmpty<T>(
  harness: Harness,
  use: (store: WritableStore) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const store = await openEmpty(harness, options);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export type Json = Readonly<Record<string, unknown>>;

/** The records of a page. */
export function rowsOf({ records, length }: Pick<Page, "records" | "length">): readonly Json[] {
  const rows = JSON.parse(`[${Buffer.from(records).toString()}]`) as readonly Json[];
  expect(rows).toHaveLength(length);
  return rows;
}

/** What a page says, without what belongs to its memory. */
export const contentOf = (page: Page): Page => ({ ...page, release: undefined });

export const keysOf = (page: Page): readonly unknown[] => rowsOf(page).map((row) => row["ListingKey"]);

/** Keys of the records of a page. */
export const readKeys = async (
  store: WritableStore,
  asked: Asked,
  scope = everything,
  options?: ReadOptions,
): Promise<readonly unknown[]> => keysOf(await store.page(ask(asked, scope), options));

/**
 * True if all conformance tests are run on every layout: also behind a pooler, on partitioned tables, on PostgreSQL without a wall, and on
 * SQLite without threads. It takes minutes.
 */
export const onEveryLayout = process.env["CONFORMANCE"] === "all";
if (!onEveryLayout)
  console.info(
    "without CONFORMANCE=all, only stores on threads and behind a wall are tested with all conformance tests",
  );
