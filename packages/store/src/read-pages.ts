import type { RestrictedQuery } from "@cadastre/entitlement";
import type { Bookmark, Page, ReadOptions, Store } from "./store.ts";

/** Options of a walk: `ahead` is true to request each page while the one before it is used. */
type WalkOptions = ReadOptions & { readonly ahead: boolean };

/** Reads the pages of a query that are not empty. Each is valid until the next one is requested. */
export async function* readPages(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  { ahead, signal, from, ...read }: WalkOptions,
): AsyncGenerator<Page> {
  const done = new AbortController();
  // Not `AbortSignal.any`: with Node 20 it would not hold a signal that nothing else holds.
  const cancel = () => done.abort(signal?.reason);
  if (signal?.aborted === true) cancel();
  signal?.addEventListener("abort", cancel, { signal: done.signal });
  const options = { ...read, signal: done.signal };
  const pageFrom = (bookmark: Bookmark | undefined): Promise<Page> => {
    const page = store.page(query, { ...options, from: bookmark });
    // Prevents an unhandled rejection if the page fails, or is aborted, before it is awaited.
    page.catch(() => undefined);
    return page;
  };
  let page: Page | undefined;
  let next: Promise<Page> | undefined = pageFrom(from);
  try {
    while (next !== undefined) {
      page = await next;
      const following: Bookmark | null = page.next;
      next = ahead && following !== null ? pageFrom(following) : undefined;
      if (page.length > 0) yield page;
      page.release?.();
      if (!ahead && following !== null) next = pageFrom(following);
    }
  } finally {
    done.abort();
    page?.release?.();
    // A page that was read ahead is not used.
    void next?.then(({ release }) => release?.()).catch(() => undefined);
  }
}
