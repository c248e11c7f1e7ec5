import type { BoundQuery, Projection } from "../bound/tree.ts";
import type { EntitySet, EntityType, StructuralProperty } from "../model/types.ts";
import { identifier, render, type SqlFragment, sql } from "../sql/fragment.ts";
import { compileOperand } from "./expression.ts";
import { fold } from "./fold.ts";
import { columnOperand, formOf, type Operand, type Target, toComputed } from "./operand.ts";
import { compileSort } from "./sort.ts";

/** Whether a property of the answer is none of the entity's own. What is computed is folded. */
export const isComputed = ({ property }: Projection, { type }: EntitySet): boolean =>
  !type.properties.has(property.name);

/** The properties of the answer, each under its own name. */
export const compileSelect = ({ select, entitySet }: BoundQuery, target: Target): readonly SqlFragment[] =>
  select.map((projection) => {
    const { name } = projection.property;
    const selected = isComputed(projection, entitySet)
      ? compileComputed(projection, target)
      : compileOperand(projection.expression, target).sql;
    return sql`${selected} as ${identifier(name)}`;
  });

/** In the form of a column of the type; as text where such a column would not hold every value. */
function compileComputed(
  { property: { type, collection }, expression }: Projection,
  target: Target,
): SqlFragment {
  const operand = compileOperand(fold(expression), target);
  const isColumn = operand.form === formOf(type, target.dialect.encodings) && !operand.scale;
  if (isColumn || collection) return operand.sql;
  return target.dialect.cast(type, "Edm.String", toComputed(operand, target).sql);
}

/** As values come back as `after` of the next page, or as the database orders them. */
export type OrderAs = "written" | "sorted";

/** What rows are ordered by, beside the properties of `select`, and the values of it if they are asked for. */
export function compileOrder(
  { orderBy, entitySet }: BoundQuery,
  select: readonly Projection[],
  target: Target,
  orderAs: OrderAs | null,
) {
  const { dialect } = target;
  // They are the last that are selected.
  const first = select.findLastIndex((projection) => !isComputed(projection, entitySet)) + 1;
  const computed = select.slice(first).map(({ property }) => quoted(identifier(property.name)));
  const items = orderBy.map(({ expression, direction }, i) => {
    const { sql: compiled, form, nullable } = compileOperand(fold(expression), target);
    const ordered = dialect.ordered(compiled, form);
    // A bare name after `order by` is first of all what is selected under it.
    const operand =
      computed.length > 0 && computed.includes(quoted(ordered)) ? sql`coalesce(${ordered}, null)` : ordered;
    const value = orderAs === "sorted" ? ordered : dialect.written(compiled, form);
    return {
      selected: sql`${value} as ${identifier(`order${i}`)}`,
      sort: { position: i, operand, nullable, direction },
    };
  });
  return {
    selected: orderAs === null ? [] : items.map(({ selected }) => selected),
    items: items.map(({ sort }) => sort),
    sorted: items.map(({ sort }) => compileSort(sort, target)),
  };
}

/** The text of a name, in which case does not matter. */
const quoted = (name: SqlFragment): string => render(name, () => "?").text.toLowerCase();

/** The properties of the key, in order. */
export const keyProperties = ({ key, properties }: EntityType): readonly StructuralProperty[] =>
  key.flatMap((name) => properties.get(name) ?? []);

/** Name of the value of a key's property among those of a row: none of the row's own begins so. */
export const keyName = (i: number): string => `$key${i}`;

/** A property of the key at the entity at hand. */
export function keyOperand(property: StructuralProperty, target: Target): Operand {
  const column = target.place.members.column(property);
  return columnOperand(column, target.place.read(property.name, column.sql), property, property.type, target);
}

/** The values of the key, as `expandRows` takes them. */
export const compileKey = ({ type }: EntitySet, target: Target): readonly SqlFragment[] =>
  keyProperties(type).map((property, i) => {
    const { sql: column, form } = keyOperand(property, target);
    return sql`${target.dialect.written(column, form)} as ${identifier(keyName(i))}`;
  });
