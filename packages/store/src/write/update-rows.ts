import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { type TableSchema, validity } from "../schema/table.ts";

/** Number of rows read at once. */
const batchSize = 500;

const parameter = value(null);
const list = (fragments: readonly SqlFragment[]) => join(fragments, ", ");

/** Columns whose values are computed again from other values of the row. */
export type RowUpdate = {
  /** Expressions to read. */
  readonly read: readonly SqlFragment[];
  /** Condition on the rows to read. By default all rows are read. */
  readonly where?: SqlFragment;
  /** The columns to update. */
  readonly columns: readonly SqlFragment[];
  /** Returns the values of the columns for the values read. */
  readonly valuesOf: (read: RowValues) => RowValues;
  /** Called with the number of rows of each batch. */
  readonly onRows?: ((rows: number) => void) | undefined;
};

/**
 * Updates the rows of a table in batches, in key order with keyset pagination. Rows that have the values already are not updated.
 *
 * @param name name of the table of current or of closed versions
 */
export async function updateRows(
  session: Session,
  table: TableSchema,
  name: string,
  { read, where = sql`true`, columns, valuesOf, onRows = () => {} }: RowUpdate,
): Promise<void> {
  const identity = name === table.name ? table.key : [...table.key, validity.to];
  const [into, key] = [identifier(name), identity.map((property) => identifier(property.name))];
  const set = columns.map((column) => sql`${column} = ${parameter}`);
  const isOfKey = key.map((column) => sql`${column} = ${parameter}`);
  const differs = columns.map((column) => sql`${column} is distinct from ${parameter}`);
  const update = sql`update ${into} set ${list(set)} where ${join(isOfKey, " and ")} and (${join(differs, " or ")})`;
  let after = sql`true`;
  for (;;) {
    const rows = await session.rows(
      sql`select ${list([...key, ...read])} from ${into} where (${where}) and ${after} order by ${list(key)} limit ${value(batchSize)}`,
    );
    const updates = rows.map((row) => {
      const values = valuesOf(row.slice(key.length));
      return [...values, ...row.slice(0, key.length), ...values];
    });
    await session.each(update, updates);
    onRows(rows.length);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchSize) return;
    after = sql`(${list(key)}) > (${list(key.map((_, i) => value(last[i] as string)))})`;
  }
}
