import type { Config } from "../config.ts";
import type { Position } from "./continuation.ts";
import type { CollectionOptions } from "./query-options.ts";

/** How far one page goes. */
export type PageSize = {
  /** Records of this page, at most. */
  readonly size: number;
  /** Records of the walk from this page on; null where it goes on to the end. */
  readonly left: Position["left"];
};

/**
 * What `$top` means: the size of a page, of which the client may prefer a smaller one, or by configuration the number
 * of records of all pages together.
 */
export function pageSizeOf(
  { top, preferences: { pageSize } }: Pick<CollectionOptions, "top" | "preferences">,
  position: Position | undefined,
  config: Pick<Config, "pageSize" | "topIsTotal">,
): PageSize {
  const size = pageSize?.value ?? config.pageSize;
  if (top === undefined) return { size, left: null };
  if (!config.topIsTotal) return { size: Math.min(top, pageSize?.value ?? top), left: null };
  const left = position?.left ?? top;
  return { size: Math.min(left, size), left };
}
