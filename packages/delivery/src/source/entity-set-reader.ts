import { type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import {
  type BoundNode,
  bindQuery,
  type EntitySet,
  type Projection,
  type StructuralProperty,
} from "@cadastre/odata";
import { propertyNode, textConstant } from "@cadastre/odata/tree";
import type { Bookmark, Page, ReadOptions, Store } from "@cadastre/store";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import { deltaBatches } from "./delta.ts";
import type { ExportBatch, ExportChanges, ExportRead } from "./export-source.ts";
import type { KeyedLine } from "./keyed-lines.ts";

/** The state to read, or the changes to it. */
type ReadState = Pick<ReadOptions, "since" | "until" | "signal"> & { readonly asOf: number };

/** Reads the records that a query finds after a position, in key order. The position is the key of the record before. */
async function* sourcePages(
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
async function* keyedLines(
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

/** Number of records in a page. */
const pageSize = 1000;

/**
 * Returns a reader of the rows of an entity set, with the values that a query of the set returns.
 *
 * @param entitySet with hidden fields; its key must be one text
 */
export function entitySetReader(store: Pick<Store, "page">, entitySet: EntitySet): DatasetReader {
  const [keyField = ""] = entitySet.type.key;
  const key = entitySet.type.properties.get(keyField);
  if (entitySet.type.key.length !== 1 || key?.type !== "Edm.String")
    throw new TypeError(`the key of \`${entitySet.name}\` is not one text`);
  return {
    columns: (scope) =>
      scope.visible(entitySet.name)
        ? Array.from(visibleEntitySet(entitySet, scope).type.properties.values(), columnOf)
        : undefined,
    read: ({ changes, ...request }) => {
      if (changes !== undefined) return changedBatches({ store, entitySet, key }, request, changes);
      const { checkpoint: asOf, from, signal } = request;
      return sourcePages(store, queryOf(entitySet, request), { asOf, signal }, from);
    },
  };
}

type Changed = {
  readonly store: Pick<Store, "page">;
  readonly entitySet: EntitySet;
  readonly key: StructuralProperty;
};

/**
 * Finds changes from the record versions that ended and those that began since: a record with neither is unchanged. A position is the
 * key of the record before it, in either state.
 */
function changedBatches(
  { store, entitySet, key }: Changed,
  request: ExportRead,
  { since, content }: ExportChanges,
): AsyncIterable<ExportBatch> {
  const { columns: asked, checkpoint, from, signal } = request;
  // A removal needs only the key.
  const columns = content === "rows" ? asked : [key.name];
  const query = queryOf(entitySet, { ...request, columns }, from === null ? undefined : isBeyond(key, from));
  const read = (changes: { readonly asOf: number; readonly since?: number; readonly until?: number }) =>
    keyedLines(store, query, { ...changes, signal });
  const [ended, began] = [read({ asOf: since, until: checkpoint }), read({ asOf: checkpoint, since })];
  return deltaBatches(ended, began, { keyField: key.name, columns: asked, content });
}

const isBeyond = (key: StructuralProperty, position: string): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator: "gt",
  left: propertyNode(key),
  right: textConstant(position),
});

/** Returns the query for the columns of a request, in key order. */
function queryOf(entitySet: EntitySet, { scope, columns }: ExportRead, filter?: BoundNode): RestrictedQuery {
  const visible = visibleEntitySet(entitySet, scope);
  const select = columns.map((name): Projection => {
    const property = visible.type.properties.get(name);
    if (property === undefined) throw new TypeError(`\`${name}\` is no column of \`${entitySet.name}\``);
    return { property, expression: propertyNode(property) };
  });
  const query = bindQuery({ top: pageSize }, visible);
  return restrict({ ...query, select, ...(filter === undefined ? {} : { filter }) }, scope);
}
