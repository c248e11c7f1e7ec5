import type { BoundQuery } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileAfter } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import type { Target } from "./operand.ts";
import { placeHere } from "./place.ts";
import { compilePredicate } from "./predicate.ts";
import { compileKey, compileOrder, compileSelect } from "./select.ts";

export type PageOptions = {
  /** What to select. By default each projected property under its own name. */
  readonly columns?: readonly SqlFragment[];
  /**
   * Whether to select the values of the order as well, `order0`, `order1`, …: those of a page's last row are
   * `after` of the next page.
   */
  readonly order?: boolean;
  /** Whether to select the values of the key as well, for `expandRows`. */
  readonly key?: boolean;
};

/** Compile to one `select` of a page of rows. */
export function compilePage(
  query: BoundQuery,
  dialect: Dialect,
  mapping: Mapping,
  { columns, order: withOrder = false, key: withKey = false }: PageOptions = {},
): CompiledSql {
  const target = targetOf(dialect, mapping);
  const order = compileOrder(query, target);
  const conditions = [compilePredicate(fold(query.filter), target, "truth")];
  if (query.after !== null) conditions.push(compileAfter(query.orderBy, query.after, target));
  const selected = [
    ...(columns ?? compileSelect(query, target)),
    ...(withOrder ? order.selected : []),
    ...(withKey ? compileKey(query.entitySet, target) : []),
  ];
  const rows = sql`select ${join(selected, ", ")} from ${mapping.from} where ${join(conditions, " and ")}`;
  const ordered = query.orderBy.length === 0 ? rows : sql`${rows} order by ${order.sorted}`;
  const limited = sql`${ordered} limit ${value(query.top)}`;
  const skipped = query.skip === 0 ? limited : sql`${limited} offset ${value(query.skip)}`;
  return render(skipped, dialect.placeholder);
}

/** Compile to a `select` of the number of rows that match, as `count`. Paging does not touch it. */
export function compileCount(query: BoundQuery, dialect: Dialect, mapping: Mapping): CompiledSql {
  const matching = compilePredicate(fold(query.filter), targetOf(dialect, mapping), "truth");
  const statement = sql`select count(*) as ${identifier("count")} from ${mapping.from} where ${matching}`;
  return render(statement, dialect.placeholder);
}

export const targetOf = (dialect: Dialect, mapping: Mapping): Target => ({
  dialect,
  place: placeHere(mapping, (_key, column) => column),
  variables: [],
  operand: compileOperand,
  predicate: compilePredicate,
});
