import { identifier, sql } from "@cadastre/odata";
import { join, value } from "@cadastre/odata/run";
import type { RowValues, Session } from "../database/session.ts";
import { sourceProperty, stagedColumns, type TableSchema } from "../schema/table.ts";

/** Maximum number of keys in one result. */
const groupSize = 10_000;

/** See `Builds.keys`. */
export async function readSourceKeys(
  session: Session,
  { name, staged, key }: TableSchema,
  sourceName: string,
  after: RowValues | undefined,
): Promise<readonly RowValues[]> {
  const [current, changed] = [identifier(name), identifier(staged)];
  const columns = key.map((column) => identifier(column.name));
  const keys = join(columns, ", ");
  const beyond =
    after === undefined
      ? sql``
      : sql` and (${keys}) > (${join(
          after.map((one) => value(one)),
          ", ",
        )})`;
  const isOfSource = sql`${identifier(sourceProperty.name)} = ${value(sourceName)}${beyond}`;
  const record = identifier(stagedColumns.record);
  return session.rows(
    sql`select ${keys} from (
    select ${keys} from ${current} where ${isOfSource}
    except select ${keys} from ${changed} where ${isOfSource} and ${record} is null
    union select ${keys} from ${changed} where ${isOfSource} and ${record} is not null
  ) as "kept" order by ${keys} limit ${value(groupSize)}`,
  );
}
