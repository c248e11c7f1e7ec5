import type { BoundQuery } from "../bound/tree.ts";
import type { Mapping } from "../compile/mapping.ts";
import { compileCondition } from "../compile/query.ts";
import type { Dialect } from "../sql/dialect.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CellRule } from "./bound-apply.ts";
import { leftOut } from "./cell-rule.ts";

/** Columns of a group with the number of its rows that meet the condition of the step, and that of its other rows. */
export type CellSizes = { readonly members: SqlFragment; readonly others: SqlFragment };

/** Compiles the sizes of a group. @param only the `filter` clause of the condition, or empty */
export const compileCellSizes = (only: SqlFragment): CellSizes => ({
  members: sql`count(*)${only}`,
  others: sql`count(*) - count(*)${only}`,
});

/** Compiles the condition that a number of rows may be told of. */
const isTellable = (count: SqlFragment, { least }: CellRule): SqlFragment =>
  sql`(${count} = 0 or ${count} >= ${value(least)})`;

/**
 * Compiles the groups without those that are too small to be told of, see {@link CellRule}.
 *
 * @param grouped all groups, as an item of `from`
 * @param entities every entity of the first set, and the mapping that reads them
 */
export function compileLargeCells(
  grouped: SqlFragment,
  { members, others }: CellSizes,
  rule: CellRule,
  entities: { readonly query: BoundQuery; readonly mapping: Mapping },
  dialect: Dialect,
): SqlFragment {
  const least = value(rule.least);
  const [small, rank] = [identifier("small"), identifier("rank")];
  const isSmall = sql`case when ${members} < ${least} then 1 else 0 end`;
  const sum = sql`sum(case when ${members} < ${least} then ${members} else 0 end) over ()`;
  const place = sql`rank() over (order by ${isSmall}, ${members})`;
  const conditions = [
    sql`${members} >= ${least}`,
    isTellable(others, rule),
    sql`(${isTellable(small, rule)} or ${rank} > 1)`,
  ];
  const filter = leftOut(rule);
  if (filter !== undefined) {
    const { query, mapping } = entities;
    const among = compileCondition({ ...query, filter }, dialect, mapping);
    const some = sql`select 1 from ${mapping.from} where ${among} ${dialect.limit(least)}`;
    conditions.push(isTellable(sql`(select count(*) from (${some}) as ${identifier("left")})`, rule));
  }
  const ranked = sql`(select *, ${sum} as ${small}, ${place} as ${rank} from ${grouped}) as ${identifier("cells")}`;
  return sql`(select * from ${ranked} where ${join(conditions, " and ")}) as ${identifier("groups")}`;
}
