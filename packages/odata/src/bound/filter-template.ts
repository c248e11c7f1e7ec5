import { equalValues } from "../model/compare.ts";
import { mapChildren } from "./rewrite.ts";
import type { BoundNode, ConstantNode } from "./tree.ts";

/** Builds the tree of a shape with other constants. */
type Builder = (constants: readonly ConstantNode[]) => BoundNode;

/**
 * The bound tree of a filter shape: the types of its constants, and a function that builds the tree with other
 * constants of these types.
 */
export type FilterTemplate = { readonly types: readonly ConstantNode["type"][]; readonly build: Builder };

/**
 * Creates a template from a bound tree whose literals, in text order, are `literals`. Undefined if the tree depends
 * on more of a literal than its type; such a tree does not contain each literal exactly once, in order.
 */
export function filterTemplateOf(
  tree: BoundNode,
  literals: readonly ConstantNode[],
): FilterTemplate | undefined {
  const constants: ConstantNode[] = [];
  let checked = true;
  const collect = (node: BoundNode): BoundNode => {
    if (node.kind === "Constant" && node.value !== null && typeof node.value !== "boolean")
      constants.push(node);
    // Patterns are validated when they are bound, so their values matter.
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

/**
 * Returns a builder for a subtree; undefined for a subtree without literals, which all trees of the shape share.
 */
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
  // The frequent kinds are written out: copying with spread takes several times as long.
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
