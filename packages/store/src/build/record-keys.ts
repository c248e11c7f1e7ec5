import { identifier, type SqlFragment, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { StoreError } from "../errors.ts";
import { stagedColumns, type TableSchema } from "../schema/table.ts";
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

/** Maximum number of keys looked up at once. */
const groupSize = 500;

/** The keys that a batch of changes gives records, each with the datasets of its records. */
export class StagedKeys {
  readonly #keys = new Map<string, { readonly key: RowValues; readonly datasets: Set<string | null> }>();

  put(key: RowValues, datasetId: string | null): void {
    const text = textOf(key);
    const known = this.#keys.get(text);
    if (known === undefined) this.#keys.set(text, { key, datasets: new Set([datasetId]) });
    else known.datasets.add(datasetId);
  }

  /** Takes a key back that the batch has given before: it removes the record again. */
  remove(key: RowValues, datasetId: string | null): void {
    this.#keys.get(textOf(key))?.datasets.delete(datasetId);
  }

  /**
   * Checks that no record, published or staged, has one of the keys and another dataset.
   *
   * @throws {StoreError} `key_of_another_dataset`
   */
  async require(
    session: Session,
    table: TableSchema,
    { datasetId }: Pick<BuildDatabase, "datasetId">,
  ): Promise<void> {
    const columns = join(
      table.key.map(({ name }) => identifier(name)),
      ", ",
    );
    const all = [...this.#keys.values()];
    for (let i = 0; i < all.length; i += groupSize) {
      const group = all.slice(i, i + groupSize).map(({ key }) => key);
      const found = hasOneOfKeys(table, group);
      const rows =
        await session.rows(sql`select ${columns}, ${datasetId} from ${identifier(table.name)} where ${found}
  union all select ${columns}, ${identifier(stagedColumns.dataset)} from ${identifier(table.staged)}
  where (${found}) and ${identifier(stagedColumns.record)} is not null`);
      for (const row of rows) {
        const key = row.slice(0, table.key.length);
        const wanted = this.#keys.get(textOf(key));
        const holder = row[table.key.length];
        if (wanted !== undefined && [...wanted.datasets].some((datasetId) => datasetId !== holder))
          throw new StoreError("key_of_another_dataset", `${table.name} ${key.join(", ")}`);
      }
    }
  }
}

const textOf = (key: RowValues): string => JSON.stringify(key.map(String));
