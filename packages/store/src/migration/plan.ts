import { datasetProperty } from "@cadastre/entitlement";
import type { StructuralProperty } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import { numberMembers } from "../record/members.ts";
import {
  columnObject,
  keysObject,
  type SchemaDialect,
  type SchemaObject,
  schemaObjects,
} from "../schema/object.ts";
import { recordColumns, sourceProperty, type TableSchema, tableOf } from "../schema/table.ts";
import type { StoredResource } from "../stored-resource.ts";
import type { FoundSchema } from "./found.ts";

/** Columns of a table to create, or to compare with the records. */
export type ColumnPlan = {
  readonly table: TableSchema;
  /** New columns, and columns whose definition has changed. */
  readonly made: readonly StructuralProperty[];
  /** Existing columns without a recorded definition: corrected where they differ from the records. */
  readonly compared: readonly StructuralProperty[];
};

/** Differences between a database's schema and the declared one. */
export type Plan = {
  /** True if the database has no tables yet. */
  readonly isNew: boolean;
  /** True if nothing has to be done. */
  readonly isEmpty: boolean;
  readonly tables: readonly TableSchema[];
  readonly dropped: readonly SchemaObject[];
  readonly columns: readonly ColumnPlan[];
  /** Tables whose primary keys have other columns. */
  readonly rekeyed: readonly TableSchema[];
  readonly made: readonly SchemaObject[];
  /** Tables whose rows have no checksums, see `recordChecksum`. */
  readonly unchecked: readonly TableSchema[];
  /** Tables whose coverage must be counted again. */
  readonly counted: readonly TableSchema[];
  /** Tables that have builds and no stored digest. */
  readonly undigested: readonly TableSchema[];
};

/** @throws {StoreError} `schema_unsupported` */
export function planOf(
  found: FoundSchema,
  resources: readonly StoredResource[],
  dialect: SchemaDialect,
): Plan {
  const all = resources.map(tableOf);
  const tables = all.filter((table) =>
    [table.name, table.closed, table.staged].some((name) => !found.relations.has(name)),
  );
  for (const table of all) requireNotForeign(table, found);
  const existing = all.filter(({ name }) => found.relations.has(name));
  const columns = existing
    .map((table) => columnPlanOf(table, found, dialect))
    .filter(({ made, compared }) => made.length + compared.length > 0);
  const rekeyed = existing.filter((table) => {
    const keys = keysObject(table, dialect);
    return !recorded(found, table).some((one) => isSame(one, keys));
  });
  const wanted = all.flatMap((table) => schemaObjects(table, dialect).filter(isIndex));
  const dropped = all.flatMap((table) => droppedOf(table, found, wanted));
  const gone = new Set(dropped.map(({ name }) => name));
  const made = wanted.filter(({ name }) => gone.has(name) || !found.relations.has(name));
  const counted = existing.filter(
    ({ name, counted: by }) =>
      by !== undefined && (found.counted.get(name) ?? JSON.stringify(by)) !== JSON.stringify(by),
  );
  const unchecked = existing.filter(
    ({ name }) => found.columns.get(name)?.has(recordColumns.checksum) !== true,
  );
  const undigested = existing.filter(({ name }) => found.built.has(name) && !found.digested.has(name));
  const hasMembers = resources.every(
    ({ entitySet: { name, type } }) => numberMembers(type, found.members.get(name) ?? []).added.length === 0,
  );
  const parts = [tables, columns, rekeyed, dropped, made, unchecked, counted, undigested];
  const isRecorded = all.every((table) => isOnRecord(table, found, dialect));
  return {
    isNew: found.isNew,
    isEmpty: found.hasAllSteps && hasMembers && isRecorded && parts.every(({ length }) => length === 0),
    tables,
    dropped,
    columns,
    rekeyed,
    made,
    unchecked,
    counted,
    undigested,
  };
}

/** Throws if a new resource would use an existing table that is not recorded as the store's. */
function requireNotForeign(table: TableSchema, found: FoundSchema): void {
  if (found.objects.length === 0 || recorded(found, table).length > 0) return;
  const foreign = [table.name, table.closed, table.staged].find((name) => found.relations.has(name));
  if (foreign !== undefined)
    throw new StoreError("schema_unsupported", `${foreign} is not this program's: give it another name`);
}

const isIndex = ({ kind }: SchemaObject): boolean => kind !== "column" && kind !== "keys";

const recorded = (found: FoundSchema, { name }: TableSchema): readonly SchemaObject[] =>
  found.objects.filter(({ resource }) => resource === name);

const isSame = (a: SchemaObject, b: SchemaObject): boolean =>
  a.kind === b.kind && a.name === b.name && a.definition === b.definition;

function isOnRecord(table: TableSchema, found: FoundSchema, dialect: SchemaDialect): boolean {
  const [known, wanted] = [recorded(found, table), schemaObjects(table, dialect)];
  return known.length === wanted.length && wanted.every((object) => known.some((one) => isSame(one, object)));
}

/**
 * Returns the indexes of a table that are obsolete or have another definition. If no definitions are recorded, it is not known which
 * functions the indexes call, so all indexes with names of the store's are created again, and those of the first schema are dropped.
 * Other indexes are left unchanged.
 */
function droppedOf(
  table: TableSchema,
  found: FoundSchema,
  wanted: readonly SchemaObject[],
): readonly SchemaObject[] {
  const known = recorded(found, table);
  const former = table.formerIndexes.map(
    (name): SchemaObject => ({ resource: table.name, kind: "index", name, definition: "" }),
  );
  const ofTable = known.length > 0 ? known.filter(isIndex) : [...wanted, ...former];
  const there = ofTable.filter(({ resource, name }) => resource === table.name && found.relations.has(name));
  return there.filter(
    (object) =>
      known.length === 0 || !wanted.some((one) => one.resource === table.name && isSame(one, object)),
  );
}

function columnPlanOf(table: TableSchema, found: FoundSchema, dialect: SchemaDialect): ColumnPlan {
  const known = recorded(found, table);
  const [current, closed] = [table.name, table.closed].map((name) => found.columns.get(name) ?? new Set());
  const made: StructuralProperty[] = [];
  const compared: StructuralProperty[] = [];
  for (const column of table.columns) {
    const object = columnObject(table, column, dialect);
    const isThere =
      current?.has(column.name) === true && (closed?.size === 0 || closed?.has(column.name) === true);
    if (isThere && known.some((one) => isSame(one, object))) continue;
    if (!isThere || known.length > 0) made.push(requireMakable(table, column));
    else if (isInRecord(table, column)) compared.push(column);
  }
  return { table, made, compared };
}

/** True if the column's values can be computed from the record's text. */
const isInRecord = ({ hidden }: TableSchema, column: StructuralProperty): boolean =>
  ![datasetProperty, sourceProperty, ...hidden].includes(column);

/** True if the column holds a value of the followed record, see {@link Follows}. */
export const isFollowing = ({ follows }: TableSchema, { name }: StructuralProperty): boolean =>
  follows !== undefined && Object.hasOwn(follows.values, name);

function requireMakable(table: TableSchema, column: StructuralProperty): StructuralProperty {
  const isMade = isInRecord(table, column) || isFollowing(table, column) || table.derived !== undefined;
  if (isMade && ![datasetProperty, sourceProperty, ...table.key].includes(column)) return column;
  throw new StoreError("schema_unsupported", `${table.name}.${column.name} cannot be made of the records`);
}
