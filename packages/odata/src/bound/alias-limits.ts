import { children } from "../syntax/children.ts";
import { type Limits, tooComplex } from "../syntax/limits.ts";
import type { Span, SyntaxNode } from "../syntax/tree.ts";
import type { BindOptions, OpenAlias } from "./context.ts";

/** True if `name` is used inside its own value. */
export const isOpen = (name: string, open: OpenAlias | null): boolean =>
  open !== null && (open.name === name || isOpen(name, open.outer));

/**
 * Position of a node in the tree in which all aliases are replaced by their values: its depths and the aliases that
 * enclose it.
 */
type ExpandedPosition = {
  readonly nesting: number;
  readonly lambdas: number;
  readonly open: OpenAlias | null;
  /** The outermost alias that encloses the node. */
  readonly use: Span | null;
};

/**
 * Kinds of nodes that add a level of nesting: their text has parentheses, brackets, braces or a prefix operator
 * around the operands.
 */
const nests: ReadonlySet<SyntaxNode["kind"]> = new Set([
  "Aggregation",
  "Array",
  "Call",
  "Case",
  "Count",
  "Filter",
  "Key",
  "Lambda",
  "List",
  "Method",
  "Negate",
  "Not",
  "Object",
]);

/**
 * Refuses the expressions of one option if they exceed `limits` once each parameter alias is replaced by its value
 * in parentheses: `@a=@b add @b&@b=@c add @c&…` is a short text that expands to millions of nodes. The traversal
 * stops at the limit, so its own cost is bounded too.
 *
 * @throws {QueryError} `query_too_complex` with the span of the outermost alias
 */
export function checkAliases(
  expressions: readonly SyntaxNode[],
  aliases: NonNullable<BindOptions["aliases"]>,
  limits: Limits,
): void {
  let nodes = 0;
  let length = 0;
  const visit = (node: SyntaxNode, { nesting, lambdas, open, use }: ExpandedPosition): void => {
    const below = children(node);
    nodes += 1;
    if (below.length === 0) length += node.end - node.start;
    if (use !== null) {
      if (nodes > limits.nodes) throw tooComplex(limits, "nodes", use);
      if (length > limits.textLength) throw tooComplex(limits, "textLength", use);
      if (nesting > limits.nesting) throw tooComplex(limits, "nesting", use);
      if (lambdas > limits.lambdaDepth) throw tooComplex(limits, "lambdaDepth", use);
    }
    if (node.kind === "Alias") {
      const value = Object.hasOwn(aliases, node.name) ? aliases[node.name] : undefined;
      // An alias that is unknown, or used inside its own value, is refused when it is bound.
      if (value === undefined || isOpen(node.name, open)) return;
      const inner = { name: node.name, outer: open };
      visit(value, { nesting: nesting + 1, lambdas, open: inner, use: use ?? node });
      return;
    }
    const inside: ExpandedPosition = {
      nesting: nests.has(node.kind) ? nesting + 1 : nesting,
      lambdas: node.kind === "Lambda" ? lambdas + 1 : lambdas,
      open,
      use,
    };
    for (const child of below) visit(child, inside);
  };
  for (const expression of expressions) visit(expression, { nesting: 0, lambdas: 0, open: null, use: null });
}
