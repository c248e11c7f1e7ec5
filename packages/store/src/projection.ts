import {
  type BoundNode,
  codecOf,
  evaluate,
  matches,
  type PrimitiveType,
  type Projection,
  type Row,
} from "@cadastre/odata";

/** The selected properties of a stored record, each through its expression. */
export function project(select: readonly Projection[], record: Row): Row {
  const row: Record<string, unknown> = {};
  for (const { property, expression } of select) row[property.name] = projected(expression, record);
  return row;
}

function projected(expression: BoundNode, record: Row): unknown {
  if (expression.kind === "Property") {
    return record[expression.property.name] ?? (expression.property.collection ? [] : null);
  }
  if (expression.kind === "Choice" && expression.otherwise === undefined) {
    if (matches(expression.when, record)) return projected(expression.value, record);
    return expression.type.startsWith("Collection(") ? [] : null;
  }
  const value = evaluate(expression, record);
  return value === null ? null : codecOf(expression.type as PrimitiveType).toJson(value);
}
