import type { BoundExpand } from "../bound/expand.ts";
import type { EntitySet } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { Mapping } from "./mapping.ts";
import type { Target } from "./operand.ts";
import { placeHere, rowsOf, unmapped } from "./place.ts";
import { conditionsOf, targetOf } from "./query.ts";
import { compileKey, compileOrder, compileSelect, keyOperand, keyProperties } from "./select.ts";
import { valuesOf } from "./value-source.ts";

/** The entities that are expanded. */
export type ExpandFrom = {
  readonly entitySet: EntitySet;
  readonly mapping: Mapping;
  /** The key of each, its values as `compilePage` with `{ key: true }` selects them. */
  readonly keys: readonly (readonly unknown[])[];
};

/** Place of the parent among {@link ExpandFrom.keys}, in each row of a level. */
export const parentName = "$parent";
/** Place of a row among those of its parent. */
export const placeName = "$place";

const [parent, place] = [identifier(parentName), identifier(placeName)];

/** The mapping of the entities that `expand` leads to. @throws {QueryError} `not_supported` where there is none. */
export function mappingOf({ navigation }: BoundExpand, { path }: Mapping): Mapping {
  const found = path?.(navigation);
  if (found?.kind !== "rows") throw unmapped(navigation.name);
  return found.mapping();
}

/**
 * Compile the entities that `expand` leads to from all of `from` to one `select`: rows with `$parent`, the
 * selected properties and the values of their own key, in order. The keys are one value, so there may be any
 * number of them.
 */
export function compileExpand(expand: BoundExpand, from: ExpandFrom, dialect: Dialect): CompiledSql {
  const { query } = expand;
  const { target, source } = related(expand, from, dialect);
  const sorted = join(compileOrder(query, query.select, target, null).sorted, ", ");
  const paged = isPaged(query);
  const number = sql`row_number() over (partition by ${parent} order by ${sorted}) as ${place}`;
  const selected = [
    parent,
    ...compileSelect(query, target),
    ...compileKey(query.entitySet, target),
    ...(paged ? [number] : []),
  ];
  const rows = sql`select ${join(selected, ", ")} from ${source}`;
  return render(
    paged ? pageOf(rows, query) : sql`${rows} order by ${parent}, ${sorted}`,
    dialect.placeholder,
  );
}

/** Whether a level has not all the entities that its filter lets through. */
export const isPaged = ({ top, skip }: BoundExpand["query"]): boolean =>
  skip > 0 || top !== Number.POSITIVE_INFINITY;

const pageOf = (rows: SqlFragment, { top, skip }: BoundExpand["query"]): SqlFragment => {
  const after = sql`select * from (${rows}) as ${identifier("$page")} where ${place} > ${value(skip)}`;
  const page = top === Number.POSITIVE_INFINITY ? after : sql`${after} and ${place} <= ${value(skip + top)}`;
  return sql`${page} order by ${parent}, ${place}`;
};

/** Compile the number of the entities that `expand` leads to, as `count` beside `$parent`; none where it is 0. */
export function compileExpandCount(expand: BoundExpand, from: ExpandFrom, dialect: Dialect): CompiledSql {
  const { source } = related(expand, from, dialect);
  const counted = sql`select ${parent}, count(*) as ${identifier("count")} from ${source} group by ${parent}`;
  return render(counted, dialect.placeholder);
}

/** What follows `from`: the keys, the rows that have them, the related rows. Each is found by an index. */
function related(
  expand: BoundExpand,
  { entitySet, mapping, keys }: ExpandFrom,
  dialect: Dialect,
): { readonly target: Target; readonly source: SqlFragment } {
  const path = mapping.path?.(expand.navigation);
  if (path?.kind !== "rows") throw unmapped(expand.navigation.name);
  const childMapping = path.mapping();
  const target = targetOf(dialect, withoutIndexes(childMapping), valuesOf(expand.query));

  const rows = rowsOf(mapping, "$row");
  const at: Target = { ...target, place: placeHere(mapping, rows.read) };
  const given = keyProperties(entitySet.type).map((property, i) => ({
    ...keyOperand(property, at),
    type: property.type,
    name: identifier(`$given${i}`),
  }));
  const isGiven = given.map(({ sql: column, name }) => sql`${column} = ${name}`);
  const pairs = path.on.map((pair, i) => sql`${pair.child} = ${rows.read(`= ${i}`, pair.parent)}`);
  const matching = conditionsOf(expand.query, childMapping, target);
  const conditions = join([...isGiven, ...pairs, ...matching], " and ");
  const arrays = dialect.given(`[${keys.map(keyText).join()}]`, given, parent, identifier("$keys"));
  return {
    target,
    source: sql`${arrays} cross join ${rows.source()} cross join ${childMapping.from} where ${conditions}`,
  };
}

/** The rows of a level are few, and beside others an index may not be what its columns, or `rowid`, are called. */
const withoutIndexes = ({ search: _search, ...mapping }: Mapping): Mapping => ({
  ...mapping,
  column: (property) => {
    const { index: _index, ...column } = mapping.column(property);
    return column;
  },
});

/** A key as JSON, with every digit of an integer. */
export const keyText = (key: readonly unknown[]): string =>
  `[${key.map((one) => (typeof one === "bigint" ? String(one) : (JSON.stringify(one) ?? "null"))).join()}]`;
