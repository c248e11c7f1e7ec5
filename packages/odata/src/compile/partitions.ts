import type { BoundQuery } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { Mapping } from "./mapping.ts";
import { pageOf, selectCount, selectPage } from "./query.ts";
import { type ValueSource, valuesOf } from "./value-source.ts";

/** Returns the columns to select from a table, the same number for each. */
type ColumnsOf = (partition: Mapping) => readonly SqlFragment[];

/**
 * Compiles one page over several tables, each row being in exactly one of them, to one `select`. Each table is read
 * by its own indexes, and the results are merged (scatter-gather). The query must not skip rows.
 */
export const compileMergedPage = (
  query: BoundQuery,
  dialect: Dialect,
  partitions: readonly Mapping[],
  columns: ColumnsOf,
): CompiledSql => mergedPageOf(query, valuesOf(query), dialect, partitions, columns);

/** Like {@link compileMergedPage}, with values from a {@link ValueSource}. */
export function mergedPageOf(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  partitions: readonly Mapping[],
  columns: ColumnsOf,
): CompiledSql {
  const [first] = partitions;
  if (first !== undefined && partitions.length === 1) {
    const [{ identity }, selected] = [first, columns(first)];
    if (identity === undefined) return pageOf(query, values, dialect, first, { columns: selected });
    const page = identifiedPage(query, values, dialect, first, identity, selected);
    return render(page, dialect.placeholder);
  }
  const pages = partitions.map((partition) => {
    const named = columns(partition).map((column, i) => sql`${column} as ${columnName(i)}`);
    return selectPage(query, values, dialect, partition, { columns: named }, "sorted");
  });
  const names = first === undefined ? [] : columns(first).map((_, i) => columnName(i));
  const selected = join([...names, ...query.orderBy.map((_, i) => identifier(`order${i}`))], ", ");
  const all = pages.map((page, i) => sql`select ${selected} from (${page}) as ${identifier(`page${i}`)}`);
  const merged = sql`select ${join(names, ", ")} from (${join(all, " union all ")}) as ${identifier("pages")}`;
  const sorted = sql`${merged} order by ${namedOrder(query, dialect)} ${dialect.limit(value(values.read(({ top }) => top)))}`;
  return render(sorted, dialect.placeholder);
}

/** Orders rows by the values of the order that they were selected with. */
function namedOrder({ orderBy }: BoundQuery, dialect: Dialect): SqlFragment {
  const items = orderBy.map(({ direction }, i) => {
    const column = identifier(`order${i}`);
    return direction === "asc" ? dialect.ascending(column, true) : dialect.descending(column, true);
  });
  return join(items, ", ");
}

/** Selects the rows of a page first, then their columns. See {@link Mapping.identity}. */
function identifiedPage(
  query: BoundQuery,
  values: ValueSource,
  dialect: Dialect,
  partition: Mapping,
  identity: NonNullable<Mapping["identity"]>,
  columns: readonly SqlFragment[],
): SqlFragment {
  const { from, row } = identity;
  const [page, of] = [identifier("page"), identifier("row")];
  const rows = selectPage(query, values, dialect, partition, { columns: [sql`${row} as ${of}`] }, "sorted");
  const read = sql`select ${join(columns, ", ")} from (${rows}) as ${page} cross join ${from}`;
  return sql`${read} where ${row} = ${page}.${of} order by ${namedOrder(query, dialect)}`;
}

const columnName = (position: number): SqlFragment => identifier(`column${position}`);

/** Compiles the number of matching rows in all tables together to one `select`, as `count`. */
export function compileMergedCount(
  query: BoundQuery,
  dialect: Dialect,
  partitions: readonly Mapping[],
): CompiledSql {
  const counts = partitions.map(
    (partition): SqlFragment => sql`(${selectCount(query, valuesOf(query), dialect, partition)})`,
  );
  return render(sql`select ${join(counts, " + ")} as ${identifier("count")}`, dialect.placeholder);
}
