import { type RestrictedQuery, restrict, visibleEntitySet } from "@cadastre/entitlement";
import { type BoundNode, type BoundQuery, bindQuery, type EntitySet, type Projection } from "@cadastre/odata";
import { allOf, propertyNode } from "@cadastre/odata/tree";
import { readPages, type Store } from "@cadastre/store";
import { changesBetween, textKeyOf } from "@cadastre/store/changes";
import { bindRowFilter } from "./bound-filter.ts";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import { changeBatches } from "./delta.ts";
import type { ExportBatch, ExportChanges, ExportRead } from "./export-source.ts";

/** Reads the records that a query finds after a position, in key order. The position is the key of the record before. */
async function* sourcePages(
  store: Pick<Store, "page">,
  query: RestrictedQuery,
  { checkpoint: asOf, from, signal }: ExportRead,
): AsyncGenerator<ExportBatch> {
  const bookmark = from === null ? undefined : { checkpoint: asOf, key: [from] };
  const options = { asOf, from: bookmark, lines: true, nulls: false, signal, ahead: true };
  for await (const { records: lines, length, last } of readPages(store, query, options))
    yield { lines, length, end: String(last[0]) };
}

/** Number of records in a page. */
export const pageSize = 1000;

/**
 * Returns a reader of the rows of an entity set, with the values that a query of the set returns.
 *
 * @param entitySet with hidden fields; its key must be one text
 */
export function entitySetReader(store: Pick<Store, "page">, entitySet: EntitySet): DatasetReader {
  const key = textKeyOf(entitySet);
  return {
    columns: (scope) =>
      scope.visible(entitySet.name)
        ? Array.from(visibleEntitySet(entitySet, scope).type.properties.values(), columnOf)
        : undefined,
    read: ({ changes, ...request }) =>
      changes === undefined
        ? sourcePages(store, restrict(rowQueryOf(entitySet, request), request.scope), request)
        : changedBatches({ store, entitySet, keyField: key.name }, request, changes),
    bindFilter: (scope, filter) => bindRowFilter(filter, visibleEntitySet(entitySet, scope)).basis,
  };
}

type Changed = {
  readonly store: Pick<Store, "page">;
  readonly entitySet: EntitySet;
  readonly keyField: string;
};

/** Reads the changes between two checkpoints. A position is the key of the record before it, in either state. */
function changedBatches(
  { store, entitySet, keyField }: Changed,
  request: ExportRead,
  { since, content }: ExportChanges,
): AsyncIterable<ExportBatch> {
  const { columns: asked, checkpoint: asOf, from: after, scope, signal } = request;
  // A removal needs only the key.
  const columns = content === "rows" ? asked : [keyField];
  const query = rowQueryOf(entitySet, { ...request, columns });
  const changes = { query, scope, since, asOf, after, pageSize, ahead: true, nulls: false, signal };
  return changeBatches(changesBetween(store, changes), { keyField, columns: asked, content });
}

/** Returns the query for the columns of a request, in key order. @param conditions further ones, bound to what the scope shows */
export function rowQueryOf(
  entitySet: EntitySet,
  { scope, columns, filter }: Pick<ExportRead, "scope" | "columns" | "filter">,
  ...conditions: readonly BoundNode[]
): BoundQuery {
  const visible = visibleEntitySet(entitySet, scope);
  const select = columns.map((name): Projection => {
    const property = visible.type.properties.get(name);
    if (property === undefined) throw new TypeError(`\`${name}\` is no column of \`${entitySet.name}\``);
    return { property, expression: propertyNode(property) };
  });
  const asked = filter === undefined ? [] : [bindRowFilter(filter, visible).condition];
  return { ...bindQuery({ top: pageSize }, visible), filter: allOf(...asked, ...conditions), select };
}
