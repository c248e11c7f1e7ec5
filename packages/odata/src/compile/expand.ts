import type { BoundExpand } from "../bound/expand.ts";
import type { EntitySet } from "../model/types.ts";
import type { Dialect } from "../sql/dialect.ts";
import { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileJsonSelect } from "./json-select.ts";
import type { Mapping } from "./mapping.ts";
import { conditionsOf, type PageOptions, targetOf } from "./query.ts";
import { currentRow, rowsOf, unmappedPath } from "./row-context.ts";
import { compileKey, compileOrder, compileSelect, compileSort, keyOperand, keyProperties } from "./select.ts";
import { valuesOf } from "./value-source.ts";

/** The entities to expand. */
export type ExpandFrom = {
  readonly entitySet: EntitySet;
  readonly mapping: Mapping;
  /** The key of each entity, with values as `compilePage` selects them with `{ key: true }`. */
  readonly keys: readonly (readonly unknown[])[];
};

/** Column of the parent's index in {@link ExpandFrom.keys}, in each row of a level. */
export const parentName = "$parent";
/** Column of a row's number among the rows of its parent, counted from 1. */
export const placeName = "$place";

const [parent, place] = [identifier(parentName), identifier(placeName)];

/**
 * Returns the mapping of the entities that `expand` leads to.
 *
 * @throws {QueryError} `not_supported` if the navigation property is not mapped.
 */
export function mappingOf({ navigation }: BoundExpand, { path }: Mapping): Mapping {
  const found = path?.(navigation);
  if (found?.kind !== "rows") throw unmappedPath(navigation.name);
  return found.mapping();
}

/**
 * Compiles one level of `$expand` to one `select`: the entities that `expand` leads to from all entities of `from`.
 * Its rows hold `$parent`, the selected properties and the values of their own key, in order. All keys are bound as
 * one value, so their number is not limited.
 */
export function compileExpand(
  expand: BoundExpand,
  from: ExpandFrom,
  dialect: Dialect,
  { json = false }: Pick<PageOptions, "json"> = {},
): CompiledSql {
  const { query } = expand;
  const { target, source } = related(expand, from, dialect);
  const sorted = compileSort(compileOrder(query, json ? [] : query.select, target, null).items, target);
  const paged = isPaged(query);
  const number = sql`row_number() over (partition by ${parent} order by ${sorted}) as ${place}`;
  const selected = [
    parent,
    ...(json ? compileJsonSelect(query, target) : compileSelect(query, target)),
    ...compileKey(query.entitySet, target),
    ...(paged ? [number] : []),
  ];
  const rows = sql`select ${join(selected, ", ")} from ${source}`;
  return render(
    paged ? pageOf(rows, query) : sql`${rows} order by ${parent}, ${sorted}`,
    dialect.placeholder,
  );
}

/** True if a level returns only some of the entities that pass its filter. */
export const isPaged = ({ top, skip }: BoundExpand["query"]): boolean =>
  skip > 0 || top !== Number.POSITIVE_INFINITY;

const pageOf = (rows: SqlFragment, { top, skip }: BoundExpand["query"]): SqlFragment => {
  const after = sql`select * from (${rows}) as ${identifier("$page")} where ${place} > ${value(skip)}`;
  const page = top === Number.POSITIVE_INFINITY ? after : sql`${after} and ${place} <= ${value(skip + top)}`;
  return sql`${page} order by ${parent}, ${place}`;
};

/**
 * Compiles the number of entities that `expand` leads to, as `count` beside `$parent`. Parents with a count of 0
 * have no row.
 */
export function compileExpandCount(expand: BoundExpand, from: ExpandFrom, dialect: Dialect): CompiledSql {
  const { source } = related(expand, from, dialect);
  const counted = sql`select ${parent}, count(*) as ${identifier("count")} from ${source} group by ${parent}`;
  return render(counted, dialect.placeholder);
}

/**
 * Returns the `from` clause: the keys, the rows with these keys, and their related rows. Each is found by an index.
 */
function related(
  expand: BoundExpand,
  { entitySet, mapping, keys }: ExpandFrom,
  dialect: Dialect,
): { readonly target: CompileContext; readonly source: SqlFragment } {
  const path = mapping.path?.(expand.navigation);
  if (path?.kind !== "rows") throw unmappedPath(expand.navigation.name);
  const childMapping = path.mapping();
  const target = targetOf(dialect, withoutSearchAndPointIndexes(childMapping), valuesOf(expand.query));

  const rows = rowsOf(mapping, "$row");
  const at: CompileContext = { ...target, place: currentRow(mapping, rows.read) };
  const given = keyProperties(entitySet.type).map((property, i) => ({
    ...keyOperand(property, at),
    type: property.type,
    name: identifier(`$given${i}`),
  }));
  const isGiven = given.map(({ sql: column, name }) => sql`${column} = ${name}`);
  const pairs = path.on.map((pair, i) => sql`${pair.child} = ${rows.read(`= ${i}`, pair.parent)}`);
  const matching = conditionsOf(expand.query, childMapping, target);
  const conditions = join([...isGiven, ...pairs, ...matching], " and ");
  const arrays = dialect.valuesTable(`[${keys.map(keyText).join()}]`, given, parent, identifier("$keys"));
  return {
    target,
    source: sql`${arrays} cross join ${rows.source()} cross join ${childMapping.from} where ${conditions}`,
  };
}

/**
 * Removes the indexes of `$search` and of points from a mapping; trigram indexes stay. The rows of a level are few, and next to other tables, the column names an
 * index uses (such as `rowid`) may be ambiguous.
 */
const withoutSearchAndPointIndexes = ({ search: _search, ...mapping }: Mapping): Mapping => ({
  ...mapping,
  column: (property) => {
    const { index: _index, ...column } = mapping.column(property);
    return column;
  },
});

/** Writes a key as JSON text, with every digit of an integer. */
export const keyText = (key: readonly unknown[]): string =>
  `[${key.map((one) => (typeof one === "bigint" ? String(one) : (JSON.stringify(one) ?? "null"))).join()}]`;
