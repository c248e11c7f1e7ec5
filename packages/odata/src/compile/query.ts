import { type BoundQuery, conjuncts, type Projection } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { dividedFilters } from "./divided.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileJsonSelect } from "./json-select.ts";
import { compileAfter, positionsOf } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import { toComputedOperand } from "./operand.ts";
import { compilePredicate } from "./predicate.ts";
import { type Range, rangesAfter } from "./ranges.ts";
import { currentRow } from "./row-context.ts";
import {
  compileKey,
  compileOrder,
  compileSelect,
  compileSort,
  type OrderAs,
  type SortItem,
  sortName,
} from "./select.ts";
import { type ValueSource, valuesOf } from "./value-source.ts";

export type PageOptions = {
  /** Columns to select. By default, each projected property under its own name. */
  readonly columns?: readonly SqlFragment[];
  /**
   * True if the values of the order are also selected, as `order0`, `order1`, …: those of a page's last row are
   * `after` of the next page.
   */
  readonly order?: boolean;
  /** True if the projected properties are selected in a form that `jsonRecords` reads, exact whatever the driver is. */
  readonly json?: boolean;
  /** True if the values of the key are also selected, for `expandRows`. */
  readonly key?: boolean;
};

/** Compiles a page of rows to one `select`. */
export const compilePage = (
  query: BoundQuery,
  dialect: Dialect,
  mapping: Mapping,
  options: PageOptions = {},
): CompiledSql => pageOf(query, valuesOf(query), dialect, mapping, options);

/** Like {@link compilePage}, with values from a {@link ValueSource}. */
export const pageOf = (
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
  { order = false, ...selection }: PageOptions,
): CompiledSql =>
  render(
    selectPage(
      query,
      values,
      dialect,
      mapping,
      selection,
      order ? (selection.json ? "exact" : "written") : null,
    ),
    dialect.placeholder,
  );

/** Compiles the `select` of a page, with the values of its order if `orderAs` is not null. */
export function selectPage(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
  { columns, json = false, key = false }: Pick<PageOptions, "columns" | "json" | "key">,
  orderAs: OrderAs | null,
): SqlFragment {
  const target = targetOf(dialect, mapping, values);
  const order = compileOrder(query, columns === undefined && !json ? query.select : [], target, orderAs);
  const filters = dividedFilters(query.filter, mapping.dividedBy);
  const isDivided = filters.length > 1;
  const divisions = filters.map((filter) => conditionsOf({ filter }, mapping, target));
  const selected = join(
    [
      ...(columns ?? (json ? compileJsonSelect(query, target) : compileSelect(query, target))),
      ...order.selected,
      ...(key ? compileKey(query.entitySet, target) : []),
      ...(isDivided
        ? order.items.map(({ operand, position }) => sql`${operand} as ${sortName(position)}`)
        : []),
    ],
    ", ",
  );
  const enough = dialect.limit(value(values.read(({ top, skip }) => top + skip)));
  const ranges = rangesOf(query, order.items, mapping, target).map(({ condition, sorted }) => {
    const divided = divisions.map((conditions) => {
      const matching = join(condition === null ? conditions : [...conditions, condition], " and ");
      return sql`select ${selected} from ${mapping.from} where ${matching}`;
    });
    const all = join(divided, " union all ");
    if (sorted.length === 0) return all;
    const order = compileSort(sorted, target);
    if (!isDivided) return sql`${all} order by ${order}`;
    const merged = divided.map((rows) => dialect.merged(rows, order, enough));
    const names = compileSort(sorted, target, ({ position }) => sortName(position));
    return sql`${join(merged, " union all ")} order by ${names}`;
  });
  const limited = sql`${consecutive(ranges, enough)} ${dialect.limit(value(values.read(({ top }) => top)))}`;
  return query.skip === 0 ? limited : sql`${limited} offset ${value(values.read(({ skip }) => skip))}`;
}

/** Returns the ranges of rows that make up the page, in order. */
function rangesOf(
  { orderBy, after }: BoundQuery,
  sorted: readonly SortItem[],
  mapping: Mapping,
  target: CompileContext,
): readonly (Range | { readonly condition: null; readonly sorted: readonly SortItem[] })[] {
  if (after === null) return [{ condition: null, sorted }];
  const positions = positionsOf(sorted, after, target);
  const ranges = (mapping.ranges ?? beginsWithColumn(orderBy)) ? rangesAfter(positions, target) : [];
  return ranges.length > 0 ? ranges : [{ condition: compileAfter(positions, target), sorted }];
}

const beginsWithColumn = ([first]: BoundQuery["orderBy"]): boolean => first?.expression.kind === "Property";

/** Concatenates statements. Both databases run each statement only if the page is not full yet. */
function consecutive(statements: readonly SqlFragment[], enough: SqlFragment): SqlFragment {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) return only;
  const all = statements.map(
    (rows, i) => sql`select * from (${rows} ${enough}) as ${identifier(`range${i}`)}`,
  );
  return join(all, " union all ");
}

/** Compiles the number of matching rows to a `select`, as `count`. Paging options do not affect it. */
export const compileCount = (query: BoundQuery, dialect: Dialect, mapping: Mapping): CompiledSql =>
  countOf(query, valuesOf(query), dialect, mapping);

/** Like {@link compileCount}, with values from a {@link ValueSource}. */
export const countOf = (
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
): CompiledSql => render(selectCount(query, values, dialect, mapping), dialect.placeholder);

/** Compiles the `select` of {@link compileCount} as a fragment. */
export function selectCount(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  mapping: Mapping,
): SqlFragment {
  const matching = join(conditionsOf(query, mapping, targetOf(dialect, mapping, values)), " and ");
  return sql`select count(*) as ${identifier("count")} from ${mapping.from} where ${matching}`;
}

/** Conditions that a row must meet on every page. */
export function conditionsOf(
  { filter }: Pick<BoundQuery, "filter">,
  { where }: Mapping,
  target: CompileContext,
): SqlFragment[] {
  const folded = fold(filter);
  const matching = compilePredicate(folded, { ...target, required: conjuncts(folded) }, "truth");
  return where === undefined ? [matching] : [where, matching];
}

/** Compiles a filter as a condition on the rows of a mapping, for the `where` of another mapping of the same rows. */
export const compileCondition = (query: BoundQuery, dialect: Dialect, mapping: Mapping): SqlFragment =>
  join(conditionsOf(query, mapping, targetOf(dialect, mapping, valuesOf(query))), " and ");

export const targetOf = (dialect: Dialect, mapping: Mapping, values: ValueSource): CompileContext => ({
  dialect,
  place: currentRow(mapping, (_key, column) => column),
  values,
  required: [],
  readsFewRows: mapping.readsFewRows ?? false,
  variables: [],
  operand: compileOperand,
  predicate: compilePredicate,
});

/** Compiles the value of a projection, in the dialect's computed form, as a column to select. */
export function compileValue(
  query: BoundQuery,
  { expression }: Projection,
  dialect: Dialect,
  mapping: Mapping,
): SqlFragment {
  const target = targetOf(dialect, mapping, valuesOf(query));
  return toComputedOperand(compileOperand(fold(expression), target), target).sql;
}
