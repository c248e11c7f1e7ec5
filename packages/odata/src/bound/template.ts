import { equalValues } from "../model/compare.ts";
import { mapChildren } from "./rewrite.ts";
import type { BoundNode, ConstantNode } from "./tree.ts";

/** Builds the tree of a shape around other constants. */
type Builder = (constants: readonly ConstantNode[]) => BoundNode;

/** The bound tree of a shape: the types of its constants, and how to build it around others of these types. */
export type Template = { readonly types: readonly ConstantNode["type"][]; readonly build: Builder };

/**
 * Make a template of a bound tree whose literals, in the order of the text, are `literals`. Undefined where
 * the tree depends on more of a literal than its type: then it does not hold each of them once, in order.
 */
export function templateOf(tree: BoundNode, literals: readonly ConstantNode[]): Template | undefined {
  const constants: ConstantNode[] = [];
  let checked = true;
  const collect = (node: BoundNode): BoundNode => {
    if (node.kind === "Constant" && node.value !== null && typeof node.value !== "boolean")
      constants.push(node);
    // A pattern is examined when it is bound.
    if (node.kind === "Call" && node.entry.name === "matchespattern") checked = false;
    return mapChildren(node, collect);
  };
  collect(tree);
  const same = constants.every((constant, i) => {
    const literal = literals[i];
    return literal?.type === constant.type && equalValues(literal.value, constant.value);
  });
  if (!checked || !same || constants.length !== literals.length) return undefined;
  const positions = new Map(constants.map((constant, i) => [constant, i]));
  const build = builder(tree, positions) ?? (() => tree);
  return { types: constants.map(({ type }) => type), build };
}

/** Undefined for a subtree without literals, which every tree of the shape can share. */
function builder(node: BoundNode, positions: ReadonlyMap<ConstantNode, number>): Builder | undefined {
  if (node.kind === "Constant") {
    const position = positions.get(node);
    return position === undefined ? undefined : (constants) => constants[position] ?? node;
  }
  const children = new Map<BoundNode, Builder>();
  mapChildren(node, (child) => {
    const build = builder(child, positions);
    if (build !== undefined) children.set(child, build);
    return child;
  });
  if (children.size === 0) return undefined;
  const rebuilt = (child: BoundNode): Builder => children.get(child) ?? (() => child);
  // The frequent kinds are spelled out: copying by spread costs several times as much.
  switch (node.kind) {
    case "Compare": {
      const { kind, type, comparator } = node;
      const [left, right] = [rebuilt(node.left), rebuilt(node.right)];
      return (constants) => ({ kind, type, comparator, left: left(constants), right: right(constants) });
    }
    case "Logical": {
      const { kind, type, operator } = node;
      const operands = node.operands.map(rebuilt);
      return (constants) => ({ kind, type, operator, operands: operands.map((build) => build(constants)) });
    }
    case "Membership": {
      const { kind, type } = node;
      const operand = rebuilt(node.operand);
      const values = node.values.map(rebuilt);
      return (constants) => ({
        kind,
        type,
        operand: operand(constants),
        values: values.map((build) => build(constants)),
      });
    }
    case "Call": {
      const { kind, type, entry } = node;
      const args = node.args.map(rebuilt);
      return (constants) => ({ kind, type, entry, args: args.map((build) => build(constants)) });
    }
    default:
      return (constants) => mapChildren(node, (child) => rebuilt(child)(constants));
  }
}
