import type { FunctionEntry } from "../functions/define.ts";
import type { SearchExpression } from "../functions/search.ts";
import type {
  EntitySet,
  PrimitiveType,
  StructuralProperty,
  StructuredProperty,
  StructuredType,
  ValueType,
} from "../model/types.ts";
import type { ArithmeticOperator, Comparator, Direction, LambdaOperator } from "../syntax/tree.ts";

/** Entities or complex values: what a path leads to before its last segment. */
export type StructureType = { readonly structure: StructuredType; readonly collection: boolean };

/** Type of a bound node. `Null` is the type of the literal `null`, which fits everywhere. */
export type BoundType = ValueType | "Null" | StructureType;

/** What the text means: every name is resolved and every node has a type. */
export type BoundNode =
  | ConstantNode
  | PropertyNode
  | StructureNode
  | VariableNode
  | BoundCallNode
  | BoundCompareNode
  | MembershipNode
  | FlagsNode
  | BoundArithmeticNode
  | BoundNegateNode
  | BoundLogicalNode
  | BoundNotNode
  | BoundLambdaNode
  | SizeNode
  | ChoiceNode
  | CastNode
  | IsOfNode
  | BoundSearchNode;

export type { SearchExpression };

/** A value known from the text. `value` is in memory form, see {@link EdmValues}. */
export type ConstantNode = {
  readonly kind: "Constant";
  readonly type: ValueType | "Null";
  readonly value: unknown;
};

/** A structural property of `base`, or of the entity at hand where `base` is absent. */
export type PropertyNode = {
  readonly kind: "Property";
  readonly type: ValueType;
  readonly property: StructuralProperty;
  readonly base?: BoundNode;
};

/** A related entity, a complex value, or a collection of either. */
export type StructureNode = {
  readonly kind: "Structure";
  readonly type: StructureType;
  readonly property: StructuredProperty;
  readonly base?: BoundNode;
};

/** The variable of an enclosing lambda: one item of its collection. `$it` is the entity at hand. */
export type VariableNode = {
  readonly kind: "Variable";
  readonly type: PrimitiveType | StructureType;
  readonly name: string;
};

export type BoundCallNode = {
  readonly kind: "Call";
  readonly type: ValueType;
  readonly entry: FunctionEntry;
  readonly args: readonly BoundNode[];
};

/** Never null: `eq` and `ne` treat null as a value, the others are false where an operand is null. */
export type BoundCompareNode = {
  readonly kind: "Compare";
  readonly type: "Edm.Boolean";
  readonly comparator: Comparator;
  readonly left: BoundNode;
  readonly right: BoundNode;
};

/** `operand in (values)`: equal to one of them, as by `eq`. Never null. */
export type MembershipNode = {
  readonly kind: "Membership";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly values: readonly BoundNode[];
};

/** `operand has flags`: every one of the members is set. Null where an operand is. */
export type FlagsNode = {
  readonly kind: "Flags";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly flags: readonly ConstantNode[];
};

/** Null where an operand is null, and where the result has no value in its type. */
export type BoundArithmeticNode = {
  readonly kind: "Arithmetic";
  readonly type: PrimitiveType;
  readonly operator: ArithmeticOperator;
  readonly left: BoundNode;
  readonly right: BoundNode;
};

export type BoundNegateNode = {
  readonly kind: "Negate";
  readonly type: PrimitiveType;
  readonly operand: BoundNode;
};

/** Three-valued. `and` of no operand is true, `or` of no operand is false. */
export type BoundLogicalNode = {
  readonly kind: "Logical";
  readonly type: "Edm.Boolean";
  readonly operator: "and" | "or";
  readonly operands: readonly BoundNode[];
};

/** Three-valued: `not null` is null. */
export type BoundNotNode = {
  readonly kind: "Not";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
};

/** `any` or `all` over a collection. Without a predicate: is there an item? */
export type BoundLambdaNode = {
  readonly kind: "Lambda";
  readonly type: "Edm.Boolean";
  readonly operator: LambdaOperator;
  readonly collection: BoundNode;
  readonly variable: VariableNode;
  readonly predicate: BoundNode | null;
};

/** Number of the items of a collection that satisfy the predicate, or of all of them. */
export type SizeNode = {
  readonly kind: "Size";
  readonly type: "Edm.Int64";
  readonly collection: BoundNode;
  readonly variable: VariableNode;
  readonly predicate: BoundNode | null;
};

/** `value` where `when` is true; else `otherwise`, or without one null (no item where `value` is a collection). */
export type ChoiceNode = {
  readonly kind: "Choice";
  readonly type: ValueType | "Null";
  readonly when: BoundNode;
  readonly value: BoundNode;
  readonly otherwise?: BoundNode;
};

/** The value as another type; null where that type does not have it. */
export type CastNode = { readonly kind: "Cast"; readonly type: ValueType; readonly operand: BoundNode };

/** Whether the value is not null and in a type. */
export type IsOfNode = {
  readonly kind: "IsOf";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly of: PrimitiveType;
};

/** Whether the words of `texts`, taken together, hold `expression`. Never null: null has no words. */
export type BoundSearchNode = {
  readonly kind: "Search";
  readonly type: "Edm.Boolean";
  readonly texts: readonly BoundNode[];
  readonly expression: SearchExpression;
};

export type BoundOrderBy = { readonly expression: BoundNode; readonly direction: Direction };

/** One property of the answer, and the expression that gives its value. */
export type Projection = { readonly property: StructuralProperty; readonly expression: BoundNode };

/** A query over one entity set. */
export type BoundQuery = {
  readonly entitySet: EntitySet;
  readonly filter: BoundNode;
  /** A total order: it ends with the key. Null sorts before every value. */
  readonly orderBy: readonly BoundOrderBy[];
  readonly select: readonly Projection[];
  readonly top: number;
  readonly skip: number;
  /** Values of `orderBy` in the last row of the page before, in database form. */
  readonly after: readonly unknown[] | null;
};

export const constant = (value: boolean): ConstantNode => ({ kind: "Constant", type: "Edm.Boolean", value });

export const propertyNode = (property: StructuralProperty, base?: BoundNode): PropertyNode => ({
  kind: "Property",
  type: property.collection ? `Collection(${property.type})` : property.type,
  property,
  ...(base === undefined ? {} : { base }),
});

/** `left eq right` */
export const equals = (left: BoundNode, right: BoundNode): BoundCompareNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator: "eq",
  left,
  right,
});

const isConstant = (node: BoundNode, value: boolean) => node.kind === "Constant" && node.value === value;

/** True where every operand is. No operand: true. */
export function allOf(...operands: readonly BoundNode[]): BoundNode {
  const rest = operands.filter((operand) => !isConstant(operand, true));
  const [only] = rest;
  if (only === undefined) return constant(true);
  return rest.length === 1 ? only : { kind: "Logical", type: "Edm.Boolean", operator: "and", operands: rest };
}

/** True where one operand is. No operand: false, so no grant means no row. */
export function anyOf(...operands: readonly BoundNode[]): BoundNode {
  const rest = operands.filter((operand) => !isConstant(operand, false));
  const [only] = rest;
  if (only === undefined) return constant(false);
  return rest.length === 1 ? only : { kind: "Logical", type: "Edm.Boolean", operator: "or", operands: rest };
}
