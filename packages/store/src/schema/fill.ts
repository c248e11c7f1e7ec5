import { datasetProperty } from "@cadastre/entitlement";
import {
  identifier,
  join,
  type Row,
  type SqlFragment,
  type StructuralProperty,
  sql,
  value,
} from "@cadastre/odata";
import type { Session } from "../build/session.ts";
import { columnValues } from "../read/columns.ts";
import type { SchemaDialect } from "./object.ts";
import { type ColumnPlan, isFollowing } from "./plan.ts";
import { recordColumns, type TableSchema, validity } from "./table.ts";

/** Number of rows that are read at once. */
const batchSize = 500;

const parameter = value(null);
const list = (fragments: readonly SqlFragment[]) => join(fragments, ", ");
const namesOf = (properties: readonly StructuralProperty[]) => properties.map(({ name }) => identifier(name));

/**
 * Fills columns of current and closed versions from the records' text, from values derived of it, and from the records that they
 * follow. Rows that have the values already are not written.
 */
export async function fillColumns(
  session: Session,
  { table, made, compared }: ColumnPlan,
  tables: readonly TableSchema[],
  dialect: SchemaDialect,
  onRows: (rows: number) => void,
): Promise<void> {
  const told = [...made, ...compared].filter((column) => !isFollowing(table, column));
  const following = made.filter((column) => isFollowing(table, column));
  for (const name of [table.name, table.closed]) {
    const identity = name === table.name ? table.key : [...table.key, validity.to];
    if (told.length > 0) await fillFromRecords(session, { table, name, identity, told, dialect }, onRows);
    if (following.length > 0) await session.rows(followingUpdate(table, name, following, tables, dialect));
  }
}

type Filling = {
  readonly table: TableSchema;
  /** Name of the table of current or of closed versions. */
  readonly name: string;
  readonly identity: readonly StructuralProperty[];
  readonly told: readonly StructuralProperty[];
  readonly dialect: SchemaDialect;
};

async function fillFromRecords(
  session: Session,
  { table, name, identity, told, dialect }: Filling,
  onRows: (rows: number) => void,
): Promise<void> {
  const [into, key, columns] = [identifier(name), namesOf(identity), namesOf(told)];
  // As text: a driver may read JSON into an object.
  const text = sql`cast(${identifier(recordColumns.text)} as text)`;
  const selected = list([...key, dialect.datasetId, text]);
  const differs = columns.map((column) => sql`${column} is distinct from ${parameter}`);
  const update = sql`update ${into} set ${list(columns.map((column) => sql`${column} = ${parameter}`))}
  where ${join(
    key.map((column) => sql`${column} = ${parameter}`),
    " and ",
  )} and (${join(differs, " or ")})`;
  let after: SqlFragment = sql``;
  for (;;) {
    const rows = await session.rows(
      sql`select ${selected} from ${into} ${after} order by ${list(key)} limit ${value(batchSize)}`,
    );
    const updates = rows.map((row) => {
      const values = valuesOf(row.slice(identity.length), table, told, dialect);
      return [...values, ...row.slice(0, identity.length), ...values];
    });
    await session.each(update, updates);
    onRows(rows.length);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = sql`where (${list(key)}) > (${list(identity.map((_, i) => value(last[i] as string)))})`;
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

/** Updates the columns that hold values of the followed record, from its current or else its last closed version. */
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
  const belongs = sql`${identifier(ownerKey.name)} = ${own}.${identifier(follows.key)}`;
  const last = sql`order by ${identifier(validity.to.name)} desc limit ${value(1)}`;
  const set = columns.map((column) => {
    const said = follows.values[column.name] ?? "";
    const read = said === datasetProperty.name ? dialect.datasetId : identifier(said);
    return sql`${identifier(column.name)} = coalesce((select ${read} from ${current} where ${current}.${belongs}),
    (select ${read} from ${closed} where ${closed}.${belongs} ${last}))`;
  });
  return sql`update ${own} set ${list(set)}`;
}
