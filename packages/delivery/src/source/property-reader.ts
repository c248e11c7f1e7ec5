import { type Scope, visibleEntitySet } from "@cadastre/entitlement";
import { type EntitySet, matches, type Row } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { compareCodePoints, type KeyedLine } from "@cadastre/store/changes";
import {
  type ChangedPropertyReads,
  changedProperties,
  endedProperties,
  isProvisionalId,
  type PropertyView,
  presentPropertiesOf,
  propertyColumns,
  propertyRow,
  readProperties,
  readPropertiesOf,
} from "@cadastre/store/property";
import type { IdentityRegister } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import { bindRowFilter } from "./bound-filter.ts";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import { deltaBatches, type RemovalReason, reasonColumn, removalLine } from "./delta.ts";
import type { ExportBatch, ExportChanges, ExportRead } from "./export-source.ts";
import { exportBatches, linesOfRows } from "./keyed-lines.ts";

export type PropertyReaderOptions = {
  readonly store: Pick<Store, "page">;
  /** Entity set of the listings, with hidden fields. */
  readonly entitySet: EntitySet;
  readonly identities: Pick<IdentityRegister, "resolutions" | "revision">;
};

/**
 * Returns a reader of canonical properties, one row each. A position holds the revision of the identity resolutions that the rows were
 * made with; if identities have been resolved since, `read` cannot continue and throws `basis_changed`.
 */
export const propertyReader = (options: PropertyReaderOptions): DatasetReader => ({
  columns: (scope) => {
    const { entitySet } = options;
    return scope.visible(entitySet.name)
      ? propertyColumns(visibleEntitySet(entitySet, scope)).map(columnOf)
      : undefined;
  },
  read: ({ changes, ...request }) =>
    changes === undefined ? batchesOf(options, request) : changedBatches(options, request, changes),
  basis: async () => String(await options.identities.revision()),
  bindFilter: (scope, filter) => bindRowFilter(filter, rowSetOf(options, scope)).basis,
});

/** Returns the rows as an entity set, so that a condition can be bound to their columns. */
const rowSetOf = ({ entitySet }: Pick<PropertyReaderOptions, "entitySet">, scope: Scope): EntitySet => {
  const columns = propertyColumns(visibleEntitySet(entitySet, scope));
  const properties = new Map(columns.map((column) => [column.name, column]));
  return { name: "property", type: { name: "property", key: [keyField], properties } };
};

/** Condition on the rows. Undefined if all are asked for. */
type IsAsked = ((row: Row) => boolean) | undefined;

/** Returns the condition of a read on its rows. They are computed from what the scope shows, so a condition sees nothing else. */
function isAskedBy(
  options: Pick<PropertyReaderOptions, "entitySet">,
  { scope, filter }: Pick<ExportRead, "scope" | "filter">,
): IsAsked {
  if (filter === undefined) return undefined;
  const { condition } = bindRowFilter(filter, rowSetOf(options, scope));
  return (row) => matches(condition, row);
}

/** Revision of the identity resolutions, and id of the property before. */
type Position = readonly [revision: number, after: string | null];

async function* batchesOf(
  { store, entitySet, identities }: PropertyReaderOptions,
  { scope, columns, checkpoint, from, filter, signal }: ExportRead,
): AsyncGenerator<ExportBatch> {
  const isAsked = isAskedBy({ entitySet }, { scope, filter });
  const revision = await identities.revision();
  const [begun, after] = from === null ? [revision, null] : (JSON.parse(from) as Position);
  const resolutions = await identities.resolutions();
  if (begun !== revision || revision !== (await identities.revision()))
    throw new DeliveryError("basis_changed");
  const properties = readProperties(
    { store, entitySet, scope, resolutions },
    { asOf: checkpoint, after, signal },
  );
  yield* exportBatches(linesOf(properties, columns, isAsked), (id) =>
    JSON.stringify([revision, id] satisfies Position),
  );
}

const linesOf = (
  properties: AsyncIterable<PropertyView>,
  columns: readonly string[],
  isAsked: IsAsked,
): AsyncIterable<KeyedLine> => linesOfRows(rowsOf(properties, isAsked), columns);

async function* rowsOf(properties: AsyncIterable<PropertyView>, isAsked: IsAsked): AsyncGenerator<Row> {
  for await (const property of properties) {
    const row = propertyRow(property);
    if (isAsked === undefined || isAsked(row)) yield row;
  }
}

/**
 * Finds changes by comparing the properties whose listings have changed, before and after, both with the same resolutions. A position
 * is the id of the property before it.
 */
async function* changedBatches(
  { store, entitySet, identities }: PropertyReaderOptions,
  { scope, columns, checkpoint, from, filter, signal }: ExportRead,
  { since, content }: ExportChanges,
): AsyncGenerator<ExportBatch> {
  const reads = { store, entitySet, scope, resolutions: await identities.resolutions() };
  const isAsked = isAskedBy({ entitySet }, { scope, filter });
  const read = content === "rows" ? rowsBetween : removalsBetween;
  yield* read(reads, { since, asOf: checkpoint, signal }, { from, columns, isAsked });
}

type Window = { readonly since: number; readonly asOf: number; readonly signal: AbortSignal | undefined };

type Asked = Pick<ExportRead, "from" | "columns"> & { readonly isAsked: IsAsked };

const isAfter =
  (from: string | null) =>
  (id: string): boolean =>
    from === null || compareCodePoints(id, from) > 0;

async function* rowsBetween(
  reads: ChangedPropertyReads,
  window: Window,
  { from, columns, isAsked }: Asked,
): AsyncGenerator<ExportBatch> {
  const { since, asOf, signal } = window;
  const ids = (await changedProperties(reads, window)).filter(isAfter(from));
  const stateAt = (checkpoint: number) =>
    linesOf(readPropertiesOf(ids, reads, { asOf: checkpoint, signal }), columns, isAsked);
  yield* deltaBatches(stateAt(since), stateAt(asOf), { keyField, columns, content: "rows" });
}

async function* removalsBetween(
  reads: ChangedPropertyReads,
  window: Window,
  { from, columns, isAsked }: Asked,
): AsyncGenerator<ExportBatch> {
  const gone = await (isAsked === undefined ? ended(reads, window) : left(reads, window, isAsked));
  const shown = gone.filter(isAfter(from));
  const reasonOf = columns.includes(reasonColumn.name)
    ? await reasonsOf(reads, shown, { ...window, isAsked })
    : undefined;
  yield* exportBatches(removalsOf(shown, reasonOf));
}

/** Returns the ids of properties that are gone, without reading those that stay. */
async function ended(reads: ChangedPropertyReads, window: Window): Promise<readonly string[]> {
  const { asOf, signal } = window;
  const ids = await endedProperties(reads, window);
  const present = new Set<string>();
  for await (const id of presentPropertiesOf(ids, reads, { asOf, signal })) present.add(id);
  return ids.filter((id) => !present.has(id));
}

/** Returns the ids of properties that met a condition, and are gone or do not meet it any more. */
async function left(
  reads: ChangedPropertyReads,
  window: Window,
  isAsked: NonNullable<IsAsked>,
): Promise<readonly string[]> {
  const { since, asOf, signal } = window;
  const ids = await changedProperties(reads, window);
  const askedAt = async (checkpoint: number): Promise<ReadonlySet<string>> => {
    const asked = new Set<string>();
    for await (const property of readPropertiesOf(ids, reads, { asOf: checkpoint, signal }))
      if (isAsked(propertyRow(property))) asked.add(property.id);
    return asked;
  };
  const [before, after] = [await askedAt(since), await askedAt(asOf)];
  return ids.filter((id) => before.has(id) && !after.has(id));
}

async function* removalsOf(
  gone: readonly string[],
  reasonOf: ((id: string) => RemovalReason) | undefined,
): AsyncGenerator<KeyedLine> {
  for (const key of gone) yield { key, line: removalLine(keyField, key, reasonOf?.(key)) };
}

const keyField = "id";

/**
 * Finds the reasons of removals: a provisional property is merged if one of its listings is still delivered, but under another property.
 */
async function reasonsOf(
  reads: ChangedPropertyReads,
  gone: readonly string[],
  { isAsked, ...window }: Window & Pick<Asked, "isAsked">,
): Promise<(id: string) => RemovalReason> {
  const { since, asOf, signal } = window;
  const provisional = gone.filter(isProvisionalId);
  if (provisional.length === 0) return () => "deleted";
  const changed = await changedProperties(reads, window);
  const present = new Set<unknown>();
  for await (const property of readPropertiesOf(changed, reads, { asOf, signal }))
    if (isAsked === undefined || isAsked(propertyRow(property)))
      for (const key of listingsOf(property)) present.add(key);
  const moved = new Set<string>();
  for await (const property of readPropertiesOf(provisional, reads, { asOf: since, signal }))
    if (listingsOf(property).some((key) => present.has(key))) moved.add(property.id);
  return (id) => (moved.has(id) ? "merged" : "deleted");
}

const listingsOf = ({ attributes }: PropertyView): readonly unknown[] => {
  const keys = attributes["listing_keys"];
  return Array.isArray(keys) ? keys : [];
};
