import type { BoundQuery, Projection } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileAfter } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import { type Target, toComputed } from "./operand.ts";
import { compilePredicate } from "./predicate.ts";
import { type ValueSource, valuesOf } from "./value-source.ts";

export type PageOptions = {
  /** What to select. By default each projected property under its own name. */
  readonly columns?: readonly SqlFragment[];
  /**
   * Whether to select the values of the order as well, `order0`, `order1`, …: those of a page's last row are
   * `after` of the next page.
   */
  readonly order?: boolean;
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
  { columns, order = false }: PageOptions,
): CompiledSql =>
  render(selectPage(query, values, dialect, mapping, columns, order ? "written" : null), dialect.placeholder);

/**
 * The statement of a page. The values of the order are selected as `written`, to come back as `after` of the next
 * page, or `sorted`, as the database orders them.
 */
export function selectPage(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
  columns: readonly SqlFragment[] | undefined,
  orderAs: "written" | "sorted" | null,
): SqlFragment {
  const target = targetOf(dialect, mapping, values);
  const projected =
    columns ??
    query.select.map(
      ({ property, expression }) =>
        sql`${compileOperand(expression, target).sql} as ${identifier(property.name)}`,
    );
  const order = query.orderBy.map(({ expression, direction }, i) => {
    const { sql: compiled, form, nullable } = compileOperand(fold(expression), target);
    const operand = dialect.ordered(compiled, form);
    return {
      selected: sql`${orderAs === "sorted" ? operand : dialect.written(compiled, form)} as ${identifier(`order${i}`)}`,
      sorted:
        direction === "asc" ? dialect.ascending(operand, nullable) : dialect.descending(operand, nullable),
    };
  });
  const conditions = conditionsOf(query, target);
  if (query.after !== null) conditions.push(compileAfter(query.orderBy, query.after, target));
  const keyset = orderAs === null ? [] : order.map((item) => item.selected);
  const selected = join([...projected, ...keyset], ", ");
  const sorted = join(
    order.map((item) => item.sorted),
    ", ",
  );
  const rows = sql`select ${selected} from ${mapping.from} where ${join(conditions, " and ")}`;
  const ordered = order.length === 0 ? rows : sql`${rows} order by ${sorted}`;
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
  const matching = join(conditionsOf(query, targetOf(dialect, mapping, values)), " and ");
  return sql`select count(*) as ${identifier("count")} from ${mapping.from} where ${matching}`;
}

/** What a row must meet, wherever the page starts. */
function conditionsOf({ filter }: BoundQuery, target: Target): SqlFragment[] {
  const { where } = target.mapping;
  const matching = compilePredicate(fold(filter), target, "truth");
  return where === undefined ? [matching] : [where, matching];
}

const targetOf = (dialect: Dialect, mapping: Mapping, values: ValueSource): Target => ({
  dialect,
  mapping,
  values,
  variables: [],
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
