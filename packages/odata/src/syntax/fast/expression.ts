import { type Limits, tooComplex } from "../limits.ts";
import { type Operator, operatorAt, unaryBinds } from "../operators.ts";
import type { SyntaxNode } from "../tree.ts";
import { digit, is, letter, skip, space, spells } from "./characters.ts";
import { numeralAt, stringAt } from "./literal.ts";
import { closeParen, comma, openParen, PathReader, quote } from "./path.ts";

const listItemKinds: ReadonlySet<string> = new Set(["Literal", "Enum", "Geo"]);

/**
 * The fast path: a hand-written parser of common expressions by precedence climbing, in one pass over the code units,
 * without tokens. It builds exactly the same trees as the grammar. For syntax it does not support, and for every
 * fault, it returns undefined; then the grammar decides, and words the error. The text after a value is not checked:
 * only white space, a comma or a closing parenthesis can continue an expression there, so after anything else the
 * text is not consumed to its end, and the grammar decides.
 */
export class ExpressionReader extends PathReader {
  declare private operatorEnd: number;

  constructor(text: string, limits: Limits) {
    super(text, limits);
    this.operatorEnd = 0;
  }

  /** Reads the longest expression that begins at offset `at`. Its nodes are counted anew. */
  expressionAt(at: number): SyntaxNode | undefined {
    this.at = at;
    this.nodes = 0;
    const tree = this.expression(1);
    this.checkNodes();
    return tree;
  }

  /**
   * Checks the number of nodes that were read.
   *
   * @throws {QueryError} `query_too_complex`
   */
  checkNodes(): void {
    if (this.nodes > this.limits.nodes) {
      throw tooComplex(this.limits, "nodes", { start: 0, end: this.text.length });
    }
  }

  override expression(binds: number): SyntaxNode | undefined {
    const start = this.at;
    const first = this.unary();
    if (first === undefined) return undefined;
    let left: SyntaxNode = first;
    let chain: SyntaxNode[] | null = null;
    let chained: "and" | "or" | null = null;
    for (;;) {
      const operator = this.peekOperator();
      if (operator === undefined || operator.binds < binds) return left;
      this.at = this.operatorEnd;
      this.skipSpaces();
      const right =
        operator.binds < unaryBinds
          ? this.expression(operator.binds + 1)
          : operator.builds === "In"
            ? this.members()
            : this.primary();
      if (right === undefined) return undefined;
      const end = this.at;
      this.nodes += 1;
      if (this.nodes > this.limits.nodes) throw tooComplex(this.limits, "nodes", { start, end });
      switch (operator.builds) {
        case "Logical": {
          if (chain === null || chained !== operator.operator) {
            chain = [left];
            chained = operator.operator;
          } else {
            this.nodes -= 1;
          }
          chain.push(right);
          left = { kind: "Logical", start, end, operator: operator.operator, operands: chain };
          break;
        }
        case "Compare":
          left = { kind: "Compare", start, end, comparator: operator.operator, left, right };
          break;
        case "Arithmetic":
          left = { kind: "Arithmetic", start, end, operator: operator.operator, left, right };
          break;
        case "Has":
          left = { kind: "Has", start, end, operand: left, right };
          break;
        case "In":
          left = { kind: "In", start, end, operand: left, right };
          break;
      }
    }
  }

  /** Returns the operator after an operand that ends at `at`, without moving. Sets `operatorEnd` to its end. */
  private peekOperator(): Operator | undefined {
    const { text, at } = this;
    const start = skip(text, at, space);
    if (start === at && text.charCodeAt(at - 1) !== closeParen) return undefined;
    const end = skip(text, start, letter);
    if (!is(text, end, space) && text.charCodeAt(end) !== openParen) return undefined;
    this.operatorEnd = end;
    return operatorAt(text, start, end);
  }

  private unary(): SyntaxNode | undefined {
    const { text, at: start } = this;
    const code = text.charCodeAt(start);
    if (code === 45 && !is(text, start + 1, digit)) {
      // `-INF` is a literal, which the grammar handles.
      return text.startsWith("INF", start + 1) ? undefined : this.negated("Negate", start + 1);
    }
    if ((code | 32) === 110 && spells(text, start, start + 3, "not")) {
      const next = text.charCodeAt(start + 3);
      if (next === 32 || next === 9 || next === openParen) return this.negated("Not", start + 3);
    }
    return this.primary();
  }

  /** Reads the operand, from offset `from` on, of the unary operator at `at`. */
  private negated(kind: "Negate" | "Not", from: number): SyntaxNode | undefined {
    const start = this.at;
    this.at = from;
    this.skipSpaces();
    this.enter();
    const operand = this.expression(unaryBinds);
    this.leave();
    if (operand === undefined) return undefined;
    this.nodes += 1;
    return { kind, start, end: this.at, operand };
  }

  private primary(): SyntaxNode | undefined {
    const { text, at } = this;
    const code = text.charCodeAt(at);
    if (code === quote) return this.string();
    if (code === openParen) return this.parenthesised();
    if (is(text, at, letter)) return this.named();
    if (is(text, at, digit) || code === 45) {
      const numeral = numeralAt(text, at);
      if (numeral !== undefined) this.pass(numeral.end);
      return numeral;
    }
    return code === 64 || code === 36 ? this.prefixed() : undefined;
  }

  private parenthesised(): SyntaxNode | undefined {
    this.enter();
    this.step();
    const inner = this.expression(1);
    if (inner === undefined) return undefined;
    this.skipSpaces();
    if (this.next() !== closeParen) return undefined;
    this.at += 1;
    this.leave();
    return inner;
  }

  private string(): SyntaxNode | undefined {
    const literal = stringAt(this.text, this.at);
    if (literal !== undefined) this.pass(literal.end);
    return literal;
  }

  /** Reads the right operand of `in`: a list of literals, or a path. */
  private members(): SyntaxNode | undefined {
    if (this.next() !== openParen) return this.primary();
    const start = this.at;
    this.enter();
    this.step();
    const items: SyntaxNode[] = [];
    if (this.next() !== closeParen) {
      for (;;) {
        const code = this.next();
        const item = code === quote ? this.string() : code === openParen ? undefined : this.primary();
        if (item === undefined || !listItemKinds.has(item.kind)) return undefined;
        items.push(item);
        if (items.length > this.limits.listItems) {
          throw tooComplex(this.limits, "listItems", { start: item.start, end: item.end });
        }
        this.skipSpaces();
        if (this.next() !== comma) break;
        this.step();
      }
      if (this.next() !== closeParen) return undefined;
    }
    this.leave();
    this.pass(this.at + 1);
    return { kind: "List", start, end: this.at, items };
  }
}

/** Parses all of `text`; returns undefined if the grammar must decide. */
export function parseFast(text: string, limits: Limits): SyntaxNode | undefined {
  const reader = new ExpressionReader(text, limits);
  const tree = reader.expression(1);
  if (tree === undefined || reader.at !== text.length) return undefined;
  reader.checkNodes();
  return tree;
}
