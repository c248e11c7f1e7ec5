import type { Mapping } from "../compile/mapping.ts";
import { keyOperand, keyProperties } from "../compile/select.ts";
import type { Dialect } from "../sql/dialect.ts";
import { identifier, join, type SqlFragment, sql, value } from "../sql/fragment.ts";
import {
  type AppliedRows,
  compileContextOf,
  innerKey,
  selectedValue,
  sortOf,
  whereOf,
} from "./applied-rows.ts";
import type { ApplyStep } from "./bound-apply.ts";

/** SQLite skips rows only after a limit. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** Returns the mapping of some of the rows: `skip` and `top` of all in an order, or of each group that `partition` makes. */
export function limitedMapping(
  step: ApplyStep & { readonly kind: "Limit" },
  rows: AppliedRows,
  dialect: Dialect,
): Mapping {
  const { mapping, entitySet, isEntities } = rows;
  if (!isEntities) {
    const all = sql`*`;
    const { where: _where, ...read } = mapping;
    const found = limitedSelect(step, rows, dialect, { named: all, names: all, columns: all });
    return { ...read, from: sql`(${found}) as ${identifier("limited")}` };
  }
  // Entities are still read from their own table, so that paths lead from them to related ones.
  const context = compileContextOf(rows, dialect);
  const keys = keyProperties(entitySet.type).map((property) => keyOperand(property, context).sql);
  const found = limitedSelect(step, rows, dialect, {
    columns: listed(keys),
    named: listed(keys.map((key, i) => sql`${key} as ${innerKey(i)}`)),
    names: listed(keys.map((_, i) => innerKey(i))),
  });
  const key = keys.length === 1 ? listed(keys) : sql`(${listed(keys)})`;
  return { ...mapping, where: sql`${key} in (${found})` };
}

const listed = (items: readonly SqlFragment[]): SqlFragment => join(items, ", ");

/** Selected columns: as they are, with names for a derived table, and these names. */
type Selected = {
  readonly columns: SqlFragment;
  readonly named: SqlFragment;
  readonly names: SqlFragment;
};

function limitedSelect(
  { partition, orderBy, skip, top }: ApplyStep & { readonly kind: "Limit" },
  rows: AppliedRows,
  dialect: Dialect,
  { columns, named, names }: Selected,
): SqlFragment {
  const { mapping, places } = rows;
  const context = compileContextOf(rows, dialect);
  const sort = sortOf(orderBy, rows, context);
  const order = sort === undefined ? sql`` : sql` order by ${sort}`;
  const source = sql`from ${mapping.from}${whereOf(mapping)}`;
  if (partition.length === 0) {
    const offset = skip === 0 ? sql`` : sql` offset ${value(skip)}`;
    return sql`select ${columns} ${source}${order} ${dialect.limit(value(top ?? noLimit))}${offset}`;
  }
  const groups = listed(partition.map((node) => selectedValue(node, context).sql));
  const place = identifier(`place${places}`);
  const number = sql`row_number() over (partition by ${groups}${order}) as ${place}`;
  const ranked = sql`(select ${named}, ${number} ${source}) as ${identifier("ranked")}`;
  const after = sql`${place} > ${value(skip)}`;
  const within = top === null ? after : sql`${after} and ${place} <= ${value(skip + top)}`;
  return sql`select ${names} from ${ranked} where ${within}`;
}
