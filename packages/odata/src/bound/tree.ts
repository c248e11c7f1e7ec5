import type { FunctionEntry } from "../functions/define.ts";
import type { SearchExpression } from "../functions/search.ts";
import type {
  EntitySet,
  EnumType,
  PrimitiveType,
  StructuralProperty,
  StructuredProperty,
  StructuredType,
  ValueType,
} from "../model/types.ts";
import type { Direction } from "../syntax/items.ts";
import type { ArithmeticOperator, Comparator, LambdaOperator } from "../syntax/tree.ts";

/** Type of entities or complex values: the type of every path segment but the last. */
export type StructureType = { readonly structure: StructuredType; readonly collection: boolean };

/** Type of a bound node. `Null` is the type of the literal `null`, which is assignable to every type. */
export type BoundType = ValueType | "Null" | StructureType;

/** A node of the bound tree: every name is resolved and every node has a type. */
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

/** A constant of the query text. `value` is in its in-memory form, see {@link EdmValues}. */
export type ConstantNode = {
  readonly kind: "Constant";
  readonly type: ValueType | "Null";
  readonly value: unknown;
};

/** A structural property of `base`; without `base`, of the current entity. */
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

/**
 * The variable of an enclosing lambda, which stands for one item of its collection. `$it` is the current entity.
 */
export type VariableNode = {
  readonly kind: "Variable";
  readonly type: PrimitiveType | StructureType;
  readonly name: string;
  /** The enumeration that the items belong to. */
  readonly enumType?: EnumType;
};

export type BoundCallNode = {
  readonly kind: "Call";
  readonly type: ValueType;
  readonly entry: FunctionEntry;
  readonly args: readonly BoundNode[];
};

/**
 * A comparison. Never null: `eq` and `ne` treat null as a value, the other comparators are false if an operand is
 * null.
 */
export type BoundCompareNode = {
  readonly kind: "Compare";
  readonly type: "Edm.Boolean";
  readonly comparator: Comparator;
  readonly left: BoundNode;
  readonly right: BoundNode;
};

/** `operand in (values)`: true if the operand equals one of the values in the sense of `eq`. Never null. */
export type MembershipNode = {
  readonly kind: "Membership";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly values: readonly BoundNode[];
};

/** `operand has flags`: true if every one of the flags is set. Null if the operand is null. */
export type FlagsNode = {
  readonly kind: "Flags";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly flags: readonly ConstantNode[];
};

/**
 * An arithmetic operation. Null if an operand is null, or if the result cannot be represented in its type.
 */
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

/** `and` or `or` in three-valued logic. `and` without operands is true, `or` without operands is false. */
export type BoundLogicalNode = {
  readonly kind: "Logical";
  readonly type: "Edm.Boolean";
  readonly operator: "and" | "or";
  readonly operands: readonly BoundNode[];
};

/** `not` in three-valued logic: `not null` is null. */
export type BoundNotNode = {
  readonly kind: "Not";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
};

/** `any` or `all` over a collection. Without a predicate, `any` is true if the collection has an item. */
export type BoundLambdaNode = {
  readonly kind: "Lambda";
  readonly type: "Edm.Boolean";
  readonly operator: LambdaOperator;
  readonly collection: BoundNode;
  readonly variable: VariableNode;
  readonly predicate: BoundNode | null;
};

/** Number of items of a collection that satisfy the predicate; of all items without one. */
export type SizeNode = {
  readonly kind: "Size";
  readonly type: "Edm.Int64";
  readonly collection: BoundNode;
  readonly variable: VariableNode;
  readonly predicate: BoundNode | null;
};

/**
 * A conditional: `value` if `when` is true, else `otherwise`. Without `otherwise`, the alternative is null, or an
 * empty collection if `value` is a collection.
 */
export type ChoiceNode = {
  readonly kind: "Choice";
  readonly type: ValueType | "Null";
  readonly when: BoundNode;
  readonly value: BoundNode;
  readonly otherwise?: BoundNode;
};

/** Conversion to another type; null if that type cannot represent the value. */
export type CastNode = { readonly kind: "Cast"; readonly type: ValueType; readonly operand: BoundNode };

/** True if the value is not null and lies in the type `of`. */
export type IsOfNode = {
  readonly kind: "IsOf";
  readonly type: "Edm.Boolean";
  readonly operand: BoundNode;
  readonly of: PrimitiveType;
};

/** True if the words of `texts`, taken together, match `expression`. Never null: null has no words. */
export type BoundSearchNode = {
  readonly kind: "Search";
  readonly type: "Edm.Boolean";
  readonly texts: readonly BoundNode[];
  readonly expression: SearchExpression;
};

export type BoundOrderBy = { readonly expression: BoundNode; readonly direction: Direction };

/** One property of the response, and the expression that computes it. */
export type Projection = { readonly property: StructuralProperty; readonly expression: BoundNode };

/** A query over one entity set. */
export type BoundQuery = {
  readonly entitySet: EntitySet;
  readonly filter: BoundNode;
  /** A total order, since it includes the key as a tie-breaker. Null sorts before every value. */
  readonly orderBy: readonly BoundOrderBy[];
  readonly select: readonly Projection[];
  readonly top: number;
  readonly skip: number;
  /** Values of `orderBy` in the last row of the previous page, in database form; null for the first page. */
  readonly after: readonly unknown[] | null;
};

export const textConstant = (value: string): ConstantNode => ({
  kind: "Constant",
  type: "Edm.String",
  value,
});

export const constant = (value: boolean): ConstantNode => ({ kind: "Constant", type: "Edm.Boolean", value });

export const propertyNode = (property: StructuralProperty, base?: BoundNode): PropertyNode => ({
  kind: "Property",
  type: property.collection ? `Collection(${property.type})` : property.type,
  property,
  ...(base === undefined ? {} : { base }),
});

/** Returns the variable that stands for one item of `collection`. */
export function itemVariable(name: string, type: VariableNode["type"], collection: BoundNode): VariableNode {
  const enumType = collection.kind === "Property" ? collection.property.enumType : undefined;
  return { kind: "Variable", type, name, ...(enumType === undefined ? {} : { enumType }) };
}

export const equals = (left: BoundNode, right: BoundNode): BoundCompareNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator: "eq",
  left,
  right,
});

/** Returns the condition that the operand is one of the values. */
export const isAmong = (operand: BoundNode, values: readonly BoundNode[]): MembershipNode => ({
  kind: "Membership",
  type: "Edm.Boolean",
  operand,
  values,
});

const isConstant = (node: BoundNode, value: boolean) => node.kind === "Constant" && node.value === value;

/** Returns the conjunction of the operands, without those that are constantly true. True without operands. */
export function allOf(...operands: readonly BoundNode[]): BoundNode {
  const rest = operands.filter((operand) => !isConstant(operand, true));
  const [only] = rest;
  if (only === undefined) return constant(true);
  return rest.length === 1 ? only : { kind: "Logical", type: "Edm.Boolean", operator: "and", operands: rest };
}

/** Returns the operands of the node's top-level `and`; all of them must be true for the node to be true. */
export function conjuncts(node: BoundNode): readonly BoundNode[] {
  const found: BoundNode[] = [];
  const collect = (one: BoundNode): void => {
    if (one.kind === "Logical" && one.operator === "and") one.operands.forEach(collect);
    else found.push(one);
  };
  collect(node);
  return found;
}

/**
 * Returns the disjunction of the operands, without those that are constantly false. False without operands, so that
 * no grant means no row.
 */
export function anyOf(...operands: readonly BoundNode[]): BoundNode {
  const rest = operands.filter((operand) => !isConstant(operand, false));
  const [only] = rest;
  if (only === undefined) return constant(false);
  return rest.length === 1 ? only : { kind: "Logical", type: "Edm.Boolean", operator: "or", operands: rest };
}
