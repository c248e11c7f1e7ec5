import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type Row, type SqlFragment, type StructuralProperty, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import { columnValues } from "../record/column-values.ts";
import type { SchemaDialect } from "../schema/object.ts";
import { recordText, type TableSchema, validity } from "../schema/table.ts";
import { updateRows } from "../write/update-rows.ts";
import { type ColumnPlan, isFollowing } from "./plan.ts";

/**
 * Fills columns of current and closed versions from the text of the records, from values derived from it, and from the records
 * that they follow. Rows that have the values already are not updated.
 */
export async function fillColumns(
  session: Session,
  { table, made, compared }: ColumnPlan,
  tables: readonly TableSchema[],
  dialect: SchemaDialect,
  onRows: (rows: number) => void,
): Promise<void> {
  const filledColumns = [...made, ...compared].filter((column) => !isFollowing(table, column));
  const following = made.filter((column) => isFollowing(table, column));
  for (const name of [table.name, table.closed]) {
    if (filledColumns.length > 0)
      await updateRows(session, table, name, {
        read: [dialect.datasetId, recordText],
        columns: filledColumns.map((column) => identifier(column.name)),
        valuesOf: (read) => valuesOf(read, table, filledColumns, dialect),
        onRows,
      });
    if (following.length > 0) await session.rows(followingUpdate(table, name, following, tables, dialect));
  }
}

function valuesOf(
  [datasetId, text]: readonly unknown[],
  { hidden, derived }: TableSchema,
  columns: readonly StructuralProperty[],
  { formOf }: SchemaDialect,
): readonly unknown[] {
  const record = JSON.parse(text as string) as Row;
  const isHidden = columns.some((column) => hidden.includes(column));
  const besides = isHidden ? derived?.(datasetId as string | null, record) : undefined;
  return columnValues(
    columns,
    (name) => (besides !== undefined && Object.hasOwn(besides, name) ? besides[name] : record[name]),
    formOf,
  );
}

/**
 * Updates the columns that copy values of the followed record: from its current version, or else from its last closed one.
 */
function followingUpdate(
  { follows, key }: TableSchema,
  name: string,
  columns: readonly StructuralProperty[],
  tables: readonly TableSchema[],
  dialect: SchemaDialect,
): SqlFragment {
  const owner = tables.find((table) => table.name === follows?.resource);
  const [ownerKey] = owner?.key ?? [];
  if (follows === undefined || owner === undefined || ownerKey === undefined)
    throw new RangeError(`what ${name} (${key.length}) follows is not stored`);
  const [current, closed, own] = [identifier(owner.name), identifier(owner.closed), identifier(name)];
  const ofDataset = identifier(datasetProperty.name);
  const belongsTo = (table: SqlFragment) =>
    sql`${table}.${identifier(ownerKey.name)} = ${own}.${identifier(follows.key)} and ${table}.${ofDataset} = ${own}.${ofDataset}`;
  const last = sql`order by ${identifier(validity.to.name)} desc limit ${value(1)}`;
  const set = columns.map((column) => {
    const said = follows.values[column.name] ?? "";
    const read = said === datasetProperty.name ? dialect.datasetId : identifier(said);
    return sql`${identifier(column.name)} = coalesce((select ${read} from ${current} where ${belongsTo(current)}),
    (select ${read} from ${closed} where ${belongsTo(closed)} ${last}))`;
  });
  return sql`update ${own} set ${join(set, ", ")}`;
}
