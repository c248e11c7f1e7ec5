import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Bookmark, Page, ReadOptions, Store } from "@cadastre/store";
import type { ExportBatch } from "./export-source.ts";

/** The state to read, or the changes to it. */
export type ReadState = Pick<ReadOptions, "since" | "until" | "signal"> & { readonly asOf: number };

/**
 * Reads the records that a query finds after a position, in key order. The position is the key of the record before. Prefetches the next
 * page while the present one is used.
 */
export async function* sourcePages(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  keyField: string,
  { signal, ...state }: ReadState,
  from: string | null,
): AsyncGenerator<ExportBatch> {
  const done = new AbortController();
  const given = signal === undefined ? [] : [signal];
  const options = {
    ...state,
    lines: true,
    nulls: false,
    signal: AbortSignal.any([done.signal, ...given]),
  };
  const pageFrom = (bookmark: Bookmark | undefined): Promise<Page> => {
    const page = store.page(query, { ...options, from: bookmark });
    // Prevents an unhandled rejection if the page fails, or is aborted, before it is awaited.
    page.catch(() => undefined);
    return page;
  };
  try {
    let page: Promise<Page> | undefined = pageFrom(from === null ? undefined : bookmarkOf(state.asOf, from));
    while (page !== undefined) {
      const { records: lines, length, next, release }: Page = await page;
      page = next === null ? undefined : pageFrom(next);
      if (length > 0) yield { lines, length, end: positionOf(lines, keyField) };
      release?.();
    }
  } finally {
    done.abort();
  }
}

/** Converts a position, which is the key of the record before it, to a bookmark. */
const bookmarkOf = (checkpoint: number, position: string): Bookmark => ({ checkpoint, key: [position] });

/** Returns the position after the last of some lines. */
function positionOf(lines: Uint8Array, keyField: string): string {
  const last = lines.lastIndexOf(0x0a, -2) + 1;
  const record = JSON.parse(Buffer.from(lines.subarray(last)).toString()) as Readonly<Record<string, string>>;
  const position = record[keyField];
  if (position === undefined) throw new TypeError(`an export must have the key \`${keyField}\``);
  return position;
}
