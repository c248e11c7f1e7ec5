import type { Config } from "../config.ts";
import type { PageStart } from "./continuation.ts";
import type { CollectionOptions } from "./query-options.ts";

/** Number of records of a page, and of the walk. */
export type PageSize = {
  /** Maximum number of records of this page. */
  readonly size: number;
  /** Number of records that are left from this page on. Null if the walk has no limit. */
  readonly left: PageStart["left"];
};

/**
 * Returns the page size. By default `$top` is the size of each page, and `maxpagesize` can only lower it. With `topIsTotal`, `$top` is the
 * number of records of all pages together.
 */
export function pageSizeOf(
  { top, preferences: { pageSize } }: Pick<CollectionOptions, "top" | "preferences">,
  position: PageStart | undefined,
  config: Pick<Config, "pageSize" | "topIsTotal">,
): PageSize {
  const size = pageSize?.value ?? config.pageSize;
  if (top === undefined) return { size, left: null };
  if (!config.topIsTotal) return { size: Math.min(top, pageSize?.value ?? top), left: null };
  const left = position?.left ?? top;
  return { size: Math.min(left, size), left };
}
