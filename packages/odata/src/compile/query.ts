import type { BoundQuery, Projection } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileAfter } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import { type Target, toComputed } from "./operand.ts";
import { placeHere } from "./place.ts";
import { compilePredicate } from "./predicate.ts";
import { compileKey, compileOrder, compileSelect, type OrderAs } from "./select.ts";
import { type ValueSource, valuesOf } from "./value-source.ts";

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
export const compilePage = (
  query: BoundQuery,
  dialect: Dialect,
  mapping: Mapping,
  options: PageOptions = {},
): CompiledSql => pageOf(query, valuesOf(query), dialect, mapping, options);

/** {@link compilePage}, with the values of a source. */
export const pageOf = (
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
  { order = false, ...selection }: PageOptions,
): CompiledSql =>
  render(
    selectPage(query, values, dialect, mapping, selection, order ? "written" : null),
    dialect.placeholder,
  );

/** The statement of a page, with the values of its order. */
export function selectPage(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
  { columns, key = false }: Pick<PageOptions, "columns" | "key">,
  orderAs: OrderAs | null,
): SqlFragment {
  const target = targetOf(dialect, mapping, values);
  const order = compileOrder(query, columns === undefined ? query.select : [], target, orderAs);
  const conditions = conditionsOf(query, mapping, target);
  if (query.after !== null) conditions.push(compileAfter(query.orderBy, query.after, target));
  const selected = [
    ...(columns ?? compileSelect(query, target)),
    ...order.selected,
    ...(key ? compileKey(query.entitySet, target) : []),
  ];
  const rows = sql`select ${join(selected, ", ")} from ${mapping.from} where ${join(conditions, " and ")}`;
  const ordered = query.orderBy.length === 0 ? rows : sql`${rows} order by ${order.sorted}`;
  const limited = sql`${ordered} limit ${value(values.read(({ top }) => top))}`;
  return query.skip === 0 ? limited : sql`${limited} offset ${value(values.read(({ skip }) => skip))}`;
}

/** Compile to a `select` of the number of rows that match, as `count`. Paging does not touch it. */
export const compileCount = (query: BoundQuery, dialect: Dialect, mapping: Mapping): CompiledSql =>
  countOf(query, valuesOf(query), dialect, mapping);

/** {@link compileCount}, with the values of a source. */
export const countOf = (
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
): CompiledSql => render(selectCount(query, values, dialect, mapping), dialect.placeholder);

/** The statement of {@link compileCount}, to be part of a larger one. */
export function selectCount(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
): SqlFragment {
  const matching = join(conditionsOf(query, mapping, targetOf(dialect, mapping, values)), " and ");
  return sql`select count(*) as ${identifier("count")} from ${mapping.from} where ${matching}`;
}

/** What a row must meet, wherever the page starts. */
export function conditionsOf({ filter }: BoundQuery, { where }: Mapping, target: Target): SqlFragment[] {
  const matching = compilePredicate(fold(filter), target, "truth");
  return where === undefined ? [matching] : [where, matching];
}

export const targetOf = (dialect: Dialect, mapping: Mapping, values: ValueSource): Target => ({
  dialect,
  place: placeHere(mapping, (_key, column) => column),
  values,
  variables: [],
  operand: compileOperand,
  predicate: compilePredicate,
});

/** The value of a projection, to be selected in the form in which the dialect computes it. */
export function compileValue(
  query: BoundQuery,
  { expression }: Projection,
  dialect: Dialect,
  mapping: Mapping,
): SqlFragment {
  const target = targetOf(dialect, mapping, valuesOf(query));
  return toComputed(compileOperand(fold(expression), target), target).sql;
}
