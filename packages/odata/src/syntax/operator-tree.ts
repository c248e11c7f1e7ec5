import type { Operator } from "./operators.ts";
import type { SyntaxNode } from "./tree.ts";

/** An operand with the range of its text, including parentheses. */
export type OperandSpan = { readonly node: SyntaxNode; readonly start: number; readonly end: number };

function combine(operator: Operator, left: OperandSpan, right: OperandSpan): SyntaxNode {
  const span = { start: left.start, end: right.end };
  switch (operator.builds) {
    case "Logical":
      return { kind: "Logical", ...span, operator: operator.operator, operands: [left.node, right.node] };
    case "Compare":
      return { kind: "Compare", ...span, comparator: operator.operator, left: left.node, right: right.node };
    case "Arithmetic":
      return { kind: "Arithmetic", ...span, operator: operator.operator, left: left.node, right: right.node };
    case "Has":
    case "In":
      return { kind: operator.builds, ...span, operand: left.node, right: right.node };
  }
}

/**
 * Builds one tree from `operands` with `operators` between them (operator-precedence parsing): tighter operators
 * first, operators of the same precedence from left to right, and a chain of one logical operator as a single node.
 */
export function buildOperatorTree(
  operands: readonly OperandSpan[],
  operators: readonly Operator[],
): SyntaxNode {
  const values: OperandSpan[] = [];
  const waiting: Operator[] = [];
  /**
   * Operands of the logical nodes that this call has created. Parenthesised logical nodes are not in it, and are
   * not merged into a chain.
   */
  const chains = new Map<SyntaxNode, SyntaxNode[]>();

  const reduce = () => {
    const operator = waiting.pop() as Operator;
    const right = values.pop() as OperandSpan;
    const left = values.pop() as OperandSpan;
    const chain = operator.builds === "Logical" ? chains.get(left.node) : undefined;
    const open =
      chain !== undefined && left.node.kind === "Logical" && left.node.operator === operator.operator;
    let node: SyntaxNode;
    if (open && left.node.kind === "Logical") {
      chain.push(right.node);
      node = { ...left.node, end: right.end };
      chains.set(node, chain);
    } else {
      node = combine(operator, left, right);
      if (node.kind === "Logical") chains.set(node, node.operands as SyntaxNode[]);
    }
    values.push({ node, start: left.start, end: right.end });
  };

  for (const [index, operand] of operands.entries()) {
    if (index > 0) {
      const operator = operators[index - 1] as Operator;
      while (waiting.length > 0 && (waiting.at(-1) as Operator).binds >= operator.binds) reduce();
      waiting.push(operator);
    }
    values.push(operand);
  }
  while (waiting.length > 0) reduce();
  return (values[0] as OperandSpan).node;
}
