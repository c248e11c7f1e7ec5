import type { BoundExpand, BoundQuery } from "@cadastre/odata";
import { allOf, propertyNode } from "@cadastre/odata/tree";
import { changesBetween, textKeyOf } from "@cadastre/store/changes";
import { affectedKeys, isAmongTexts, type StateWindow } from "./affected-records.ts";
import { addRelated, withLinkFields } from "./expansion.ts";
import { keysAmong, mergeKeys } from "./merge-keys.ts";
import { linesOf, relatedReader, restrictRecords } from "./related-reader.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";

/** A change of a record with its related records: its text, undefined if the query does not find it any more. */
export type ExpandedChange = { readonly key: string; readonly is: string | undefined };

/** Changes to read of a query with related records. */
type ExpandedRequest = StateWindow & {
  readonly query: BoundQuery;
  readonly expand: readonly BoundExpand[];
  /** Key that the changes follow; undefined for all. */
  readonly after: string | undefined;
  readonly signal: AbortSignal;
};

/** Changes among candidates whose keys follow each other. */
type ComparedBatch = {
  readonly changes: readonly ExpandedChange[];
  /** Number of candidates. */
  readonly size: number;
  /** Key of the last one. */
  readonly end: string;
};

/**
 * Yields the records that have changed with their related records, in the order of the key, batch by batch. The candidates are the records with
 * another version and those that {@link affectedKeys} finds; the texts of both states decide.
 *
 * @throws {StoreError} `bookmark_expired`
 */
export async function* expandedChanges(
  request: ExpandedRequest,
  services: SourceServices,
  caller: SourceCaller,
): AsyncGenerator<ComparedBatch> {
  const { query, since, asOf } = request;
  for await (const keys of batches(candidateKeys(request), query.top + 1)) {
    const were = await textsOf(keys, since, request, services, caller);
    const are = await textsOf(keys, asOf, request, services, caller);
    const changed = keys.filter((key) => are.get(key) !== were.get(key));
    const changes = changed.map((key) => ({ key, is: are.get(key) }));
    yield { changes, size: keys.length, end: keys.at(-1) ?? "" };
  }
}

/** Yields the keys of the records that may have changed, each once, in order. */
function candidateKeys({ query, expand, after: from, ...window }: ExpandedRequest): AsyncGenerator<string> {
  const after = from ?? null;
  const affected = affectedKeys(query.entitySet, expand, window, after);
  const read = { query: withLinkFields(query, expand), after, pageSize: query.top + 1, ahead: false };
  return mergeKeys([affected, keysAmong(changesBetween(window.store, { ...window, ...read }))]);
}

/** Returns the texts of the records that a query finds at a checkpoint, with their related records, by key. */
async function textsOf(
  keys: readonly string[],
  asOf: number,
  { query, expand, store, signal }: ExpandedRequest,
  services: SourceServices,
  caller: SourceCaller,
): Promise<ReadonlyMap<string, string>> {
  const expression = propertyNode(textKeyOf(query.entitySet));
  const wanted: BoundQuery = {
    ...withLinkFields(query, expand),
    filter: allOf(isAmongTexts(expression, keys), query.filter),
    orderBy: [{ expression, direction: "asc" }],
    after: null,
    skip: 0,
    top: keys.length,
  };
  const page = await store.page(restrictRecords(wanted, caller.scope), {
    asOf,
    lines: true,
    keys: true,
    signal,
  });
  const lines = linesOf(page.records);
  page.release?.();
  const read = relatedReader(services, caller, { nulls: true, signal, asOf });
  const expanded = await addRelated(lines, query, expand, read);
  return new Map((page.keys ?? []).map((key, i) => [String(key), expanded[i] ?? ""]));
}

/** Returns the keys of those removed records that the caller sees at present, outside of the query's filter. */
export async function shownElsewhere(
  { entitySet, filter }: BoundQuery,
  keys: readonly string[],
  { store, signal }: Pick<ExpandedRequest, "store" | "signal">,
  { scope }: SourceCaller,
): Promise<ReadonlySet<string>> {
  if (keys.length === 0 || (filter.kind === "Constant" && filter.value === true)) return new Set();
  const property = textKeyOf(entitySet);
  const expression = propertyNode(property);
  const wanted: BoundQuery = {
    entitySet,
    filter: isAmongTexts(expression, keys),
    select: [],
    orderBy: [{ expression, direction: "asc" }],
    after: null,
    skip: 0,
    top: keys.length,
  };
  const page = await store.page(restrictRecords(wanted, scope), { keys: true, signal });
  page.release?.();
  return new Set(page.keys?.map(String));
}

/** Groups the values of a sequence. */
async function* batches<T>(values: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const one of values) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
