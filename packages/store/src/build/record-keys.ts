import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { sourceProperty, stagedColumns, type TableSchema } from "../schema/table.ts";
import type { BuildDatabase } from "./build-database.ts";

/** Condition that a row has one of the keys, of which there is at least one. Single keys are looked up in an index. */
export function hasOneOfKeys({ key }: TableSchema, keys: readonly RowValues[]): SqlFragment {
  const columns = key.map(({ name }) => identifier(name));
  const [only, ...rest] = columns;
  if (only !== undefined && rest.length === 0)
    return sql`${only} in (${join(
      keys.map(([one]) => value(one)),
      ", ",
    )})`;
  const equal = keys.map((one) => columns.map((column, i) => sql`${column} = ${value(one[i])}`));
  return join(
    equal.map((conditions) => sql`(${join(conditions, " and ")})`),
    " or ",
  );
}

/**
 * Checks that no record, published or staged, has the key of a staged record and another dataset.
 *
 * @param staged rows of staged changes that have been written: the key, the source, and the values of `stagedColumns`
 * @throws {StoreError} `key_of_another_dataset`
 */
export async function requireOwnKeys(
  session: Session,
  table: TableSchema,
  { datasetId }: Pick<BuildDatabase, "datasetId">,
  staged: readonly RowValues[],
): Promise<void> {
  const ofKey = (row: RowValues) => row.slice(0, table.key.length);
  const at =
    table.key.length + [sourceProperty.name, ...Object.values(stagedColumns)].indexOf(stagedColumns.dataset);
  const record = at + 1;
  const written = staged.filter((row) => row[record] !== null);
  if (written.length === 0) return;
  const wanted = new Map(written.map((row) => [textOf(ofKey(row)), row[at]]));
  const columns = join(
    table.key.map(({ name }) => identifier(name)),
    ", ",
  );
  const found = hasOneOfKeys(table, written.map(ofKey));
  const rows =
    await session.rows(sql`select ${columns}, ${datasetId} from ${identifier(table.name)} where ${found}
  union all select ${columns}, ${identifier(stagedColumns.dataset)} from ${identifier(table.staged)}
  where (${found}) and ${identifier(stagedColumns.record)} is not null`);
  const foreign = rows.find((row) => {
    const key = textOf(ofKey(row));
    return wanted.has(key) && wanted.get(key) !== row[table.key.length];
  });
  if (foreign !== undefined)
    throw new StoreError("key_of_another_dataset", `${table.name} ${ofKey(foreign).join(", ")}`);
}

const textOf = (key: RowValues): string => JSON.stringify(key.map(String));
