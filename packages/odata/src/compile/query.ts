import type { BoundQuery, Projection } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { dividedFilters } from "./divided.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileAfter, placesOf } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import { type Target, toComputed } from "./operand.ts";
import { placeHere } from "./place.ts";
import { compilePredicate } from "./predicate.ts";
import { type Range, rangesAfter } from "./ranges.ts";
import { compileKey, compileOrder, compileSelect, type OrderAs } from "./select.ts";
import { compileSort, type SortItem, sortName } from "./sort.ts";
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
  const filters = dividedFilters(query.filter, mapping.dividedBy);
  const isDivided = filters.length > 1;
  const divisions = filters.map((filter) => conditionsOf({ filter }, mapping, target));
  const selected = join(
    [
      ...(columns ?? compileSelect(query, target)),
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
    const by = join(
      sorted.map((item) => compileSort(item, target)),
      ", ",
    );
    const [only = sql``] = divided;
    if (!isDivided) return sorted.length === 0 ? only : sql`${only} order by ${by}`;
    if (sorted.length === 0) return join(divided, " union all ");
    const merged = divided.map((rows) => dialect.merged(rows, by, enough));
    const names = sorted.map((item) => compileSort(item, target, sortName(item.position)));
    return sql`${join(merged, " union all ")} order by ${join(names, ", ")}`;
  });
  const limited = sql`${consecutive(ranges, enough)} ${dialect.limit(value(values.read(({ top }) => top)))}`;
  return query.skip === 0 ? limited : sql`${limited} offset ${value(values.read(({ skip }) => skip))}`;
}

/** What a page may take its rows from, in turn. */
function rangesOf(
  { orderBy, after }: BoundQuery,
  sorted: readonly SortItem[],
  mapping: Mapping,
  target: Target,
): readonly (Range | { readonly condition: null; readonly sorted: readonly SortItem[] })[] {
  if (after === null) return [{ condition: null, sorted }];
  const places = placesOf(orderBy, after, target);
  const ranges = (mapping.ranges ?? beginsWithColumn(orderBy)) ? rangesAfter(places, target) : [];
  return ranges.length > 0 ? ranges : [{ condition: compileAfter(places, target), sorted }];
}

const beginsWithColumn = ([first]: BoundQuery["orderBy"]): boolean => first?.expression.kind === "Property";

/** The rows of one statement after another. Both databases run the next one only when the page is not full yet. */
function consecutive(statements: readonly SqlFragment[], enough: SqlFragment): SqlFragment {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) return only;
  const all = statements.map(
    (rows, i) => sql`select * from (${rows} ${enough}) as ${identifier(`range${i}`)}`,
  );
  return join(all, " union all ");
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
export function conditionsOf(
  { filter }: Pick<BoundQuery, "filter">,
  { where }: Mapping,
  target: Target,
): SqlFragment[] {
  const matching = compilePredicate(fold(filter), target, "truth");
  return where === undefined ? [matching] : [where, matching];
}

export const targetOf = (dialect: Dialect, mapping: Mapping, values: ValueSource): Target => ({
  dialect,
  place: placeHere(mapping, (_key, column) => column),
  values,
  few: mapping.few ?? false,
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
