import type { BoundQuery } from "../bound/tree.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { compileAfter } from "./keyset.ts";
import type { Mapping } from "./mapping.ts";
import type { Target } from "./operand.ts";
import { compilePredicate } from "./predicate.ts";

/**
 * Compile to one `select` of a page of rows.
 *
 * `columns` is what to select; by default each projected property under its own name. After them come the
 * values of the order, `order0`, `order1`, …: those of a page's last row are `after` of the next page.
 */
export function compilePage(
  query: BoundQuery,
  dialect: Dialect,
  mapping: Mapping,
  columns?: readonly SqlFragment[],
): CompiledSql {
  const target: Target = { dialect, mapping, predicate: compilePredicate };
  const projected =
    columns ??
    query.select.map(
      ({ property, expression }) =>
        sql`${compileOperand(expression, target).sql} as ${identifier(property.name)}`,
    );
  const order = query.orderBy.map(({ expression, direction }, i) => {
    const operand = compileOperand(fold(expression), target).sql;
    return {
      selected: sql`${operand} as ${identifier(`order${i}`)}`,
      sorted: direction === "asc" ? dialect.ascending(operand) : dialect.descending(operand),
    };
  });
  const conditions = [compilePredicate(fold(query.filter), target, "truth")];
  if (query.after !== null) conditions.push(compileAfter(query.orderBy, query.after, target));
  const selected = join([...projected, ...order.map((item) => item.selected)], ", ");
  const sorted = join(
    order.map((item) => item.sorted),
    ", ",
  );
  const rows = sql`select ${selected} from ${mapping.from} where ${join(conditions, " and ")}`;
  const ordered = order.length === 0 ? rows : sql`${rows} order by ${sorted}`;
  const limited = sql`${ordered} limit ${value(query.top)}`;
  const skipped = query.skip === 0 ? limited : sql`${limited} offset ${value(query.skip)}`;
  return render(skipped, dialect.placeholder);
}

/** Compile to a `select` of the number of rows that match, as `count`. Paging does not touch it. */
export function compileCount(query: BoundQuery, dialect: Dialect, mapping: Mapping): CompiledSql {
  const matching = compilePredicate(
    fold(query.filter),
    { dialect, mapping, predicate: compilePredicate },
    "truth",
  );
  const statement = sql`select count(*) as ${identifier("count")} from ${mapping.from} where ${matching}`;
  return render(statement, dialect.placeholder);
}
