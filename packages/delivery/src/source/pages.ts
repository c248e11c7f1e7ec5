import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Bookmark, Page, ReadOptions, Store } from "@cadastre/store";
import type { ExportBatch } from "./export-source.ts";
import type { KeyedLine } from "./keyed-lines.ts";

/** The state to read, or the changes to it. */
export type ReadState = Pick<ReadOptions, "since" | "until" | "signal"> & { readonly asOf: number };

/** Reads the records that a query finds after a position, in key order. The position is the key of the record before. */
export async function* sourcePages(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  state: ReadState,
  from: string | null,
): AsyncGenerator<ExportBatch> {
  const bookmark = from === null ? undefined : { checkpoint: state.asOf, key: [from] };
  for await (const { records: lines, length, last } of pagesOf(store, query, { ...state, from: bookmark }))
    yield { lines, length, end: String(last[0]) };
}

/** Reads the lines of the records that a query finds, in key order, with their keys. */
export async function* keyedLines(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  state: ReadState,
): AsyncGenerator<KeyedLine> {
  for await (const { records, length, keys } of pagesOf(store, query, { ...state, keys: true })) {
    if (keys?.length !== length) throw new TypeError("a page lacks the keys of its records");
    const lines = Buffer.from(records).toString().split("\n");
    for (const [i, key] of keys.entries()) yield { key: String(key), line: lines[i] ?? "" };
  }
}

/** Reads pages that are not empty. Each is valid until the next one is requested, which is prefetched while the present one is used. */
async function* pagesOf(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  { signal, from, ...read }: ReadOptions,
): AsyncGenerator<Page> {
  const done = new AbortController();
  const given = signal === undefined ? [] : [signal];
  const options = {
    ...read,
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
    let next: Promise<Page> | undefined = pageFrom(from);
    while (next !== undefined) {
      const page: Page = await next;
      next = page.next === null ? undefined : pageFrom(page.next);
      if (page.length > 0) yield page;
      page.release?.();
    }
  } finally {
    done.abort();
  }
}
