import type { BoundNode, BoundQuery, BoundType, Projection } from "../bound/tree.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../model/types.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, join, render, type SqlFragment, sql } from "../sql/fragment.ts";
import type { Direction } from "../syntax/items.ts";
import type { CompileContext, Operand } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { columnOperand, encodingOf, toComputedOperand } from "./operand.ts";
import { presenceOf } from "./row-context.ts";

/** An item that rows are sorted by. */
export type SortItem = {
  /** Position of the item in the order of the query. */
  readonly position: number;
  readonly operand: SqlFragment;
  readonly type: BoundType;
  /** Encoding of the operand before it was made sortable. */
  readonly form: EncodingName;
  readonly nullable: boolean;
  readonly direction: Direction;
};

/** Compiles the list of `order by`. Each item is sorted by its operand, or by what `by` returns for it. */
export const compileSort = (
  items: readonly SortItem[],
  { dialect }: CompileContext,
  by: (item: SortItem) => SqlFragment = ({ operand }) => operand,
): SqlFragment =>
  join(
    items.map((item) =>
      item.direction === "asc"
        ? dialect.ascending(by(item), item.nullable)
        : dialect.descending(by(item), item.nullable),
    ),
    ", ",
  );

/** Returns the name of the column that holds the value of an item. */
export const sortName = (position: number): SqlFragment => identifier(`sort${position}`);

/** True if a projected property is not one of the entity's own. Computed expressions are constant-folded. */
export const isComputed = ({ property }: Projection, { type }: EntitySet): boolean =>
  !type.properties.has(property.name);

/** Compiles the projected properties, each under its own name. */
export const compileSelect = (
  { select, entitySet }: BoundQuery,
  target: CompileContext,
): readonly SqlFragment[] =>
  select.map((projection) => {
    const { name } = projection.property;
    const selected = isComputed(projection, entitySet)
      ? compileComputed(projection, target)
      : compileOperand(projection.expression, target).sql;
    return sql`${selected} as ${identifier(name)}`;
  });

/**
 * Compiles a computed property in the form of a column of its type; as text if such a column could not hold every
 * value.
 */
function compileComputed(
  { property: { type, collection }, expression }: Projection,
  target: CompileContext,
): SqlFragment {
  if (expression.kind === "Structure") return sql`(${presenceOf(expression, target) ?? sql`1`} is not null)`;
  const operand = compileOperand(fold(expression), target);
  if (collection) return toComputedOperand(operand, target).sql;
  const isColumn = operand.form === encodingOf(type, target.dialect.columnEncodings) && !operand.scale;
  if (isColumn) return operand.sql;
  return target.dialect.cast(type, "Edm.String", toComputedOperand(operand, target).sql);
}

/**
 * Form of the selected order values: `written` as `after` of the next page takes them, `exact` the same with every digit of an integer,
 * whatever the driver is, `sorted` as the database orders them.
 */
export type OrderAs = "written" | "exact" | "sorted";

/**
 * Compiles the order of a query, and the values of the order to select, if asked for. `select` holds the properties
 * selected with them.
 */
export function compileOrder(
  { orderBy, entitySet }: BoundQuery,
  select: readonly Projection[],
  target: CompileContext,
  orderAs: OrderAs | null,
) {
  const { dialect } = target;
  // The computed properties are the last ones in `select`.
  const first = select.findLastIndex((projection) => !isComputed(projection, entitySet)) + 1;
  // After `order by`, a bare name refers first to a selected column of that name.
  const computed = select.slice(first).map(({ property }) => quoted(identifier(property.name)));
  const items = orderBy.map(({ expression, direction }, i) => {
    const folded = fold(expression);
    const { sql: compiled, form, nullable } = compileOperand(folded, target);
    const ordered = dialect.ordered(compiled, form);
    const operand =
      mayBeLiteral(folded) || (computed.length > 0 && computed.includes(quoted(ordered)))
        ? sql`coalesce(${ordered}, null)`
        : ordered;
    const written =
      orderAs === "exact" && form === "scaled" && dialect.name === "sqlite"
        ? sql`cast(${compiled} as text)`
        : dialect.toCursor(compiled, form);
    const value = orderAs === "sorted" ? ordered : written;
    return {
      selected: sql`${value} as ${identifier(`order${i}`)}`,
      sort: { position: i, operand, type: expression.type, form, nullable, direction },
    };
  });
  return {
    selected: orderAs === null ? [] : items.map(({ selected }) => selected),
    items: items.map(({ sort }) => sort),
  };
}

/** Text of a name in lower case, because case does not matter in it. */
const quoted = (name: SqlFragment): string => render(name, () => "?").text.toLowerCase();

/**
 * True for what may become a literal, which after `order by` is an error or the position of a column. SQLite
 * simplifies conditions while it parses them: `0 and X` becomes `0`.
 */
const mayBeLiteral = ({ kind, type }: BoundNode): boolean =>
  kind === "Constant" || (type === "Edm.Boolean" && kind !== "Property");

/** Properties of the key, in order. */
export const keyProperties = ({ key, properties }: EntityType): readonly StructuralProperty[] =>
  key.flatMap((name) => properties.get(name) ?? []);

/** Name of a selected key value. No property's name begins with `$`. */
export const keyName = (i: number): string => `$key${i}`;

/** Compiles a key property of the current entity. */
export function keyOperand(property: StructuralProperty, target: CompileContext): Operand {
  const column = target.place.members.column(property);
  return columnOperand(column, target.place.read(property.name, column.sql), property, property.type, target);
}

/** Compiles the values of the key to select, as `expandRows` takes them. */
export const compileKey = ({ type }: EntitySet, target: CompileContext): readonly SqlFragment[] =>
  keyProperties(type).map((property, i) => {
    const { sql: column, form } = keyOperand(property, target);
    return sql`${target.dialect.toCursor(column, form)} as ${identifier(keyName(i))}`;
  });
