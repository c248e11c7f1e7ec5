import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { JsonObject } from "../api/json.ts";
import { requestPage } from "../api/odata.ts";

/** Records of a query as far as they were asked for. */
export type PagedRecords = {
  readonly records: readonly JsonObject[];
  /** Number of all records of the query. Undefined until the first page is there. */
  readonly count: number | undefined;
  readonly isLoading: boolean;
  /** True if the last page is there. */
  readonly isComplete: boolean;
  readonly error: Error | undefined;
  /** Milliseconds that the first page took. */
  readonly time: number | undefined;
};

type Page = { readonly path: string; readonly apiKey: string };

export type FirstPage = {
  /** A promise: the path is not known before the key's model is there. */
  readonly path: string | Promise<string>;
  readonly apiKey: string;
};

const none: PagedRecords = {
  records: [],
  count: undefined,
  isLoading: false,
  isComplete: false,
  error: undefined,
  time: undefined,
};

/** Reads a query page by page. It begins anew when a signal changes that `first` has read. */
export function pagedRecords(first: () => FirstPage | undefined): {
  readonly state: ReadonlySignal<PagedRecords>;
  /** Requests the next page, unless one is on its way. */
  readonly more: () => void;
} {
  const state = signal(none);
  let continued: { readonly page: Page; readonly signal: AbortSignal } | undefined;

  async function load(page: FirstPage, abort: AbortSignal, isFirst: boolean): Promise<void> {
    const started = performance.now();
    continued = undefined;
    state.value = { ...state.peek(), isLoading: true };
    try {
      const { records, count, next } = await requestPage(await page.path, page.apiKey, abort);
      if (abort.aborted) return;
      const before = state.peek();
      state.value = {
        records: isFirst ? records : [...before.records, ...records],
        count: isFirst ? count : before.count,
        isLoading: false,
        isComplete: next === undefined,
        error: undefined,
        time: isFirst ? performance.now() - started : before.time,
      };
      if (next !== undefined) continued = { page: { path: next, apiKey: page.apiKey }, signal: abort };
    } catch (error) {
      if (abort.aborted) return;
      const before = isFirst ? none : state.peek();
      const failure = error instanceof Error ? error : new Error(String(error));
      state.value = { ...before, isLoading: false, error: failure };
    }
  }

  effect(() => {
    const page = first();
    const controller = new AbortController();
    continued = undefined;
    if (page === undefined) state.value = none;
    else void load(page, controller.signal, true);
    return () => controller.abort();
  });

  return {
    state,
    more: () => {
      if (continued !== undefined) void load(continued.page, continued.signal, false);
    },
  };
}
