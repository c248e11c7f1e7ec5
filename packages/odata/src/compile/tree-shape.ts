import type { BoundNode, ConstantNode } from "../bound/tree.ts";
import { fold } from "./fold.ts";

/**
 * Role of a member of a node in its shape: equal in all nodes of the shape ("alike"), a child node, or a list of
 * child nodes.
 */
type Role = "alike" | "node" | "nodes";

/** Roles of every member of every kind of node. The type demands an entry for every new member. */
const roles = {
  Constant: { type: "alike", value: "alike" },
  Property: { type: "alike", property: "alike", base: "node" },
  Structure: { type: "alike", property: "alike", base: "node" },
  Variable: { type: "alike", name: "alike", enumType: "alike" },
  Call: { type: "alike", entry: "alike", args: "nodes" },
  Compare: { type: "alike", comparator: "alike", left: "node", right: "node" },
  Membership: { type: "alike", operand: "node", values: "nodes" },
  Flags: { type: "alike", operand: "node", flags: "nodes" },
  Arithmetic: { type: "alike", operator: "alike", left: "node", right: "node" },
  Negate: { type: "alike", operand: "node" },
  Logical: { type: "alike", operator: "alike", operands: "nodes" },
  Not: { type: "alike", operand: "node" },
  Lambda: { type: "alike", operator: "alike", collection: "node", variable: "node", predicate: "node" },
  Size: { type: "alike", collection: "node", variable: "node", predicate: "node" },
  Choice: { type: "alike", when: "node", value: "node", otherwise: "node" },
  Cast: { type: "alike", operand: "node" },
  IsOf: { type: "alike", operand: "node", of: "alike" },
  Search: { type: "alike", texts: "nodes", expression: "alike" },
} as const satisfies {
  readonly [K in BoundNode["kind"]]: Readonly<
    Record<Exclude<keyof Extract<BoundNode, { readonly kind: K }>, "kind">, Role>
  >;
};

type Members = Readonly<Record<string, unknown>>;

/** Views a node as a table of its members. */
const memberTable = (node: BoundNode) => node as unknown as Members;

const namesOf = (kind: BoundNode["kind"], role: Role): readonly string[] =>
  Object.entries(roles[kind]).flatMap(([name, its]) => (its === role ? [name] : []));

/** Shape of a tree: it also matches trees with other constants. */
export type TreeShape = {
  readonly node: BoundNode;
  /**
   * If the node is a constant or is folded to one: the constant's index among the constants of the query. Otherwise
   * -1.
   */
  readonly place: number;
  readonly type: BoundNode["type"];
  readonly folds: boolean;
  readonly alike: readonly Member<unknown>[];
  readonly children: readonly Member<TreeShape | undefined>[];
  readonly lists: readonly Member<readonly TreeShape[]>[];
};

type Member<T> = { readonly name: string; readonly of: T };

/**
 * Returns the shape of a tree, and a copy of the tree with new constant nodes, which are appended to `constants`.
 * `folds` is true if the tree is constant-folded when it is compiled.
 */
export function treeShapeOf(
  node: BoundNode,
  folds: boolean,
  constants: ConstantNode[],
): readonly [TreeShape, BoundNode] {
  return pairOf(node, folds ? fold(node) : node, folds, constants);
}

function pairOf(
  node: BoundNode,
  folded: BoundNode,
  folds: boolean,
  constants: ConstantNode[],
): readonly [TreeShape, BoundNode] {
  if (folded.kind === "Constant") {
    const own = { ...folded };
    constants.push(own);
    const place = constants.length - 1;
    return [{ node, place, type: own.type, folds, alike: [], children: [], lists: [] }, own];
  }
  const [source, target] = [memberTable(node), memberTable(folded)];
  const copy: Record<string, unknown> = { ...target };
  const pair = (child: unknown, image: unknown): readonly [TreeShape, BoundNode] =>
    pairOf(child as BoundNode, image as BoundNode, folds, constants);
  const children = namesOf(node.kind, "node").map((name) => {
    if ((source[name] ?? null) === null) return { name, of: undefined };
    const [shape, own] = pair(source[name], target[name]);
    copy[name] = own;
    return { name, of: shape };
  });
  const lists = namesOf(node.kind, "nodes").map((name) => {
    const images = target[name] as readonly unknown[];
    const pairs = (source[name] as readonly unknown[]).map((child, i) => pair(child, images[i]));
    copy[name] = pairs.map(([, own]) => own);
    return { name, of: pairs.map(([shape]) => shape) };
  });
  const alike = namesOf(node.kind, "alike").map((name) => ({ name, of: source[name] }));
  return [{ node, place: -1, type: node.type, folds, alike, children, lists }, copy as unknown as BoundNode];
}

/**
 * True if a tree has the shape. Its constants are put into `found`; an entry is left empty if the tree is the very
 * tree that the shape was made from.
 */
export function isOfShape(node: BoundNode, shape: TreeShape, found: (ConstantNode | undefined)[]): boolean {
  if (node === shape.node) return true;
  if (shape.place >= 0) {
    const folded = shape.folds && node.kind !== "Constant" ? fold(node) : node;
    if (folded.kind !== "Constant" || folded.type !== shape.type) return false;
    found[shape.place] = folded;
    return true;
  }
  if (node.kind !== shape.node.kind) return false;
  const own = memberTable(node);
  for (const { name, of } of shape.alike) if (!isAlike(own[name], of)) return false;
  for (const { name, of } of shape.children) {
    const child = (own[name] ?? undefined) as BoundNode | undefined;
    if (child === undefined || of === undefined ? child !== of : !isOfShape(child, of, found)) return false;
  }
  for (const { name, of } of shape.lists) {
    const nodes = own[name] as readonly BoundNode[];
    if (nodes.length !== of.length) return false;
    for (let i = 0; i < of.length; i += 1) {
      if (!isOfShape(nodes[i] as BoundNode, of[i] as TreeShape, found)) return false;
    }
  }
  return true;
}

/**
 * True if two values are identical or shallowly equal objects, such as the types of related entities, or computed
 * properties.
 */
export function isAlike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [mine, others] = [a as Members, b as Members];
  for (const name in mine) if (!Object.hasOwn(others, name) || mine[name] !== others[name]) return false;
  for (const name in others) if (!Object.hasOwn(mine, name)) return false;
  return true;
}
