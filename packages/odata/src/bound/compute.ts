import { QueryError } from "../errors.ts";
import type { EntitySet, PrimitiveType, StructuralProperty } from "../model/types.ts";
import type { ComputeItem } from "../syntax/items.ts";
import { bindExpression } from "./bind.ts";
import type { BindOptions, ComputedExpressions } from "./context.ts";
import { checkSize } from "./size.ts";
import type { BoundNode, Projection } from "./tree.ts";
import { isStructure, itemType, typeName } from "./typing.ts";

/**
 * Binds the items of `$compute` and returns the expression of each name. Passed as `computed` of {@link
 * BindOptions}, they are properties of the entity in every other option. Each item may use the items before it.
 *
 * @throws {QueryError} `invalid_option` for a name that is already in use, and the errors of {@link
 * bindExpression}.
 */
export function bindCompute(
  items: readonly ComputeItem[],
  entitySet: EntitySet,
  options: BindOptions = {},
): ComputedExpressions {
  const computed = new Map<string, BoundNode>();
  const { properties, structured } = entitySet.type;
  for (const item of items) {
    const { name, expression } = item;
    if (properties.has(name) || structured?.has(name) === true || computed.has(name)) {
      const expected = "expressions with names that nothing else has";
      throw new QueryError("invalid_option", item, { name: "$compute", expected, text: name });
    }
    const node = bindExpression(expression, entitySet, { ...options, computed });
    checkSize([...computed.values(), node], item);
    if (isStructure(node.type))
      throw new QueryError("type_mismatch", item, { operator: "$compute", actual: typeName(node.type) });
    computed.set(name, node);
  }
  return computed;
}

/**
 * Returns the projection of a computed property: its description as a structural property, and its expression.
 */
export function computedProjection(name: string, expression: BoundNode): Projection {
  const { type } = expression;
  const item = itemType(type);
  const property: StructuralProperty = {
    name,
    type: type === "Null" ? "Edm.String" : ((item ?? type) as PrimitiveType),
    collection: item !== undefined,
    nullable: item === undefined,
  };
  return { property, expression };
}
