import { datasetProperty } from "@cadastre/entitlement";
import { identifier, type Row, type SqlFragment, type StructuralProperty, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../build/build-database.ts";
import { columnValues } from "../read/columns.ts";
import { recordChecksum } from "../record/checksum.ts";
import type { SchemaDialect } from "./object.ts";
import { type ColumnPlan, isFollowing } from "./plan.ts";
import { recordColumns, type TableSchema, validity } from "./table.ts";

/** Number of rows read at once. */
const batchSize = 500;

const parameter = value(null);
const list = (fragments: readonly SqlFragment[]) => join(fragments, ", ");
const namesOf = (properties: readonly StructuralProperty[]) => properties.map(({ name }) => identifier(name));

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
      await fillFromRecords(session, { table, name, told: filledColumns, dialect }, onRows);
    if (following.length > 0) await session.rows(followingUpdate(table, name, following, tables, dialect));
  }
}

type Filling = {
  readonly table: TableSchema;
  /** Name of the table of current or of closed versions. */
  readonly name: string;
  readonly told: readonly StructuralProperty[];
  readonly dialect: SchemaDialect;
};

async function fillFromRecords(
  session: Session,
  { table, name, told, dialect }: Filling,
  onRows: (rows: number) => void,
): Promise<void> {
  const identity = identityOf(table, name);
  const [into, key, columns] = [identifier(name), namesOf(identity), namesOf(told)];
  // The cast is needed because a driver may parse JSON into an object.
  const text = sql`cast(${identifier(recordColumns.text)} as text)`;
  const selected = list([...key, dialect.datasetId, text]);
  const differs = columns.map((column) => sql`${column} is distinct from ${parameter}`);
  const update = sql`update ${into} set ${list(columns.map((column) => sql`${column} = ${parameter}`))}
  where ${isOf(key)} and (${join(differs, " or ")})`;
  for await (const rows of batchesOf(session, { selected, into, key, where: sql`true` })) {
    const updates = rows.map((row) => {
      const values = valuesOf(row.slice(identity.length), table, told, dialect);
      return [...values, ...row.slice(0, identity.length), ...values];
    });
    await session.each(update, updates);
    onRows(rows.length);
  }
}

type Batched = {
  /** The key columns, followed by other columns. */
  readonly selected: SqlFragment;
  readonly into: SqlFragment;
  readonly key: readonly SqlFragment[];
  readonly where: SqlFragment;
};

/**
 * Reads the rows of a table in key order with keyset pagination. The rows of a batch may be updated before the next batch is
 * read.
 */
async function* batchesOf(
  session: Session,
  { selected, into, key, where }: Batched,
): AsyncGenerator<readonly RowValues[]> {
  let after: SqlFragment = sql`true`;
  for (;;) {
    const rows = await session.rows(
      sql`select ${selected} from ${into} where (${where}) and ${after} order by ${list(key)} limit ${value(batchSize)}`,
    );
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = sql`(${list(key)}) > (${list(key.map((_, i) => value(last[i] as string)))})`;
  }
}

/**
 * Computes the checksums of rows that have none, see `recordChecksum`.
 *
 * @param name name of the table of current or of closed versions
 * @param datasetId expression for the dataset id of a row
 * @param where a condition that holds for all rows without a checksum, so that an index finds them
 */
export async function fillChecksums(
  session: Session,
  table: TableSchema,
  name: string,
  datasetId: SqlFragment,
  { where = sql`true`, onRows = () => {} }: FillOptions = {},
): Promise<void> {
  const [into, checksum] = [identifier(name), identifier(recordColumns.checksum)];
  const key = namesOf(identityOf(table, name));
  // The cast is needed because a driver may parse JSON into an object.
  const text = sql`cast(${identifier(recordColumns.text)} as text)`;
  const selected = list([...key, datasetId, identifier(recordColumns.members), text]);
  const update = sql`update ${into} set ${checksum} = ${parameter} where ${isOf(key)}`;
  const missing = sql`${where} and ${checksum} is null`;
  for await (const rows of batchesOf(session, { selected, into, key, where: missing })) {
    const updates = rows.map((row) => {
      const [dataset, members, record] = row.slice(key.length) as [string | null, string, string];
      return [recordChecksum(dataset, members, record), ...row.slice(0, key.length)];
    });
    await session.each(update, updates);
    onRows(rows.length);
  }
}

type FillOptions = { readonly where?: SqlFragment; readonly onRows?: (rows: number) => void };

const identityOf = (table: TableSchema, name: string): readonly StructuralProperty[] =>
  name === table.name ? table.key : [...table.key, validity.to];

const isOf = (key: readonly SqlFragment[]): SqlFragment =>
  join(
    key.map((column) => sql`${column} = ${parameter}`),
    " and ",
  );

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
