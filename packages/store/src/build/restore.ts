import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import { isSameRecord, recordColumns, type TableSchema, validity } from "../schema/table.ts";

/** Statements that restore a table to an earlier state. */
export type Restoration = {
  /** Statements in the order of execution. Versions that began after the earlier state end with this commit. */
  readonly write: readonly [close: SqlFragment, remove: SqlFragment, insert: SqlFragment];
  /** Selects the numbers of records that the commit has written and removed, by dataset. */
  readonly tally: { readonly written: SqlFragment; readonly removed: SqlFragment };
};

/**
 * Returns the statements that restore a table to its state at checkpoint `at`.
 *
 * @param dataset expression for the dataset of a row
 * @param checkpoint number of the commit that restores the state
 * @param isRestored condition for the rows to restore; by default all
 */
export function restorationOf(
  table: TableSchema,
  dataset: SqlFragment,
  at: number,
  checkpoint: bigint,
  isRestored?: SqlFragment,
): Restoration {
  const [current, closed] = [identifier(table.name), identifier(table.closed)];
  const [from, to] = [identifier(validity.from.name), identifier(validity.to.name)];
  const list = (columns: readonly SqlFragment[]) => join(columns, ", ");
  const held = table.columns.map(({ name }) => identifier(name));
  const record = Object.values(recordColumns).map((name) => identifier(name));
  const all = [...held, from, ...record];
  const [then, now] = [sql`cast(${value(at)} as bigint)`, sql`cast(${value(checkpoint)} as bigint)`];
  const sameRecord = isSameRecord(table, current, closed);
  const restored = isRestored === undefined ? sql`` : sql` and ${isRestored}`;
  return {
    write: [
      sql`insert into ${closed} (${list([...all, to])}) select ${list([...all, now])} from ${current} where ${from} > ${then}${restored}`,
      sql`delete from ${current} where ${from} > ${then}${restored}`,
      sql`insert into ${current} (${list(all)}) select ${list([...held, now, ...record])} from ${closed}
  where ${from} <= ${then} and ${to} > ${then}${restored}`,
    ],
    tally: {
      written: sql`select ${dataset}, count(*) from ${current} where ${from} = ${now}${restored} group by 1`,
      removed: sql`select ${dataset}, count(*) from ${closed} where ${to} = ${now}${restored}
  and not exists (select 1 from ${current} where ${sameRecord}) group by 1`,
    },
  };
}
