import { isCanonicalFunction } from "../function-names.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import type { SyntaxNode } from "../tree.ts";
import { digit, endOfIdentifier, endOfName, is, letter, skip, space, spells } from "./characters.ts";
import { guidAt, prefixedAt, wordAt } from "./literal.ts";

export const openParen = 40;
export const closeParen = 41;
export const quote = 39;
export const comma = 44;
const slash = 47;
const word = letter | digit;

/** True if the word between `start` and `end`, before a parenthesis, is a keyword with a syntax of its own, which the grammar reads. */
const isLeftToGrammar = (text: string, start: number, end: number): boolean =>
  end - start === 3
    ? spells(text, start, end, "any") || spells(text, start, end, "all")
    : end - start === 4 && spells(text, start, end, "case");

const isTyped = (text: string, start: number, end: number): boolean =>
  end - start === 4 && (spells(text, start, end, "cast") || spells(text, start, end, "isof"));

/**
 * A reader of paths, and of everything else that begins with a name: calls, lambda operators, and literals such as
 * `true` or `duration'PT1H'`.
 *
 * Every method reads at the offset `at` and moves it to the end of what it returns. If a method returns undefined, the
 * grammar must decide, and the reader is not used any more.
 */
export abstract class PathReader {
  // The constructor assigns the properties. Class fields with initializers would make parsing a short text a tenth slower.
  /** Offset of the next code unit. */
  declare at: number;
  declare protected readonly text: string;
  declare protected readonly limits: Limits;
  declare protected nodes: number;
  declare protected depth: number;
  declare protected lambdas: number;

  constructor(text: string, limits: Limits) {
    this.at = 0;
    this.text = text;
    this.limits = limits;
    this.nodes = 0;
    this.depth = 0;
    this.lambdas = 0;
  }

  /** Reads an expression, whose operators have at least the precedence `binds`. */
  abstract expression(binds: number): SyntaxNode | undefined;

  protected skipSpaces(): void {
    const { text } = this;
    let { at } = this;
    while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at += 1;
    this.at = at;
  }

  /** Returns the code unit at `at`. */
  protected next(): number {
    return this.text.charCodeAt(this.at);
  }

  /** Moves over one code unit and the white space after it. */
  protected step(): void {
    this.at += 1;
    this.skipSpaces();
  }

  /** Enters a level of nesting; {@link leave} ends it. */
  protected enter(): void {
    this.depth += 1;
    if (this.depth > Math.min(this.limits.nesting, deepestNesting)) {
      throw tooComplex(this.limits, "nesting", { start: this.at, end: this.at + 1 });
    }
  }

  protected leave(): void {
    this.depth -= 1;
  }

  /** Counts a node, and moves to its end. */
  protected pass(end: number): void {
    this.nodes += 1;
    this.at = end;
  }

  /** Reads a literal word, a call or a path that begins with a name. */
  protected named(): SyntaxNode | undefined {
    const { text, at: start } = this;
    const end = endOfName(text, start);
    if (end < 0) return undefined;
    const next = text.charCodeAt(end);
    if (next === quote) {
      const literal = prefixedAt(text, start, end);
      if (literal !== undefined) this.pass(literal.end);
      return literal;
    }
    if (next === 45 || next === 64) {
      const guid = guidAt(text, start);
      if (guid !== undefined) this.pass(guid.end);
      return guid;
    }
    if (end - start === 3 && (text.startsWith("INF", start) || text.startsWith("NaN", start)))
      return undefined;
    this.pass(end);
    const literal = wordAt(text, start, end);
    if (literal !== null) return literal;
    const name = text.slice(start, end);
    if (next === openParen) {
      if (isLeftToGrammar(text, start, end)) return undefined;
      return isTyped(text, start, end) ? this.typed(name, start) : this.call(name, start);
    }
    // A qualified name alone is not an expression; before a slash it is a type cast.
    if (next !== slash && name.includes(".")) return undefined;
    return next === slash
      ? this.segments({ kind: "Name", start, end, name }, start)
      : { kind: "Name", start, end, name };
  }

  /** Reads a path that begins with a parameter alias, `$it` or `$this`. */
  protected prefixed(): SyntaxNode | undefined {
    const { text, at: start } = this;
    const end = skip(text, start + 1, word);
    const name = text.slice(start, end);
    if (text.charCodeAt(start) === 64) {
      if (!is(text, start + 1, letter)) return undefined;
      this.pass(end);
      return this.segments({ kind: "Alias", start, end, name }, start);
    }
    if (name !== "$it" && name !== "$this") return undefined;
    this.pass(end);
    return this.segments({ kind: "Name", start, end, name }, start);
  }

  /** Reads the segments that follow `base`. */
  private segments(base: SyntaxNode, start: number): SyntaxNode | undefined {
    const { text } = this;
    let node = base;
    while (this.next() === slash) {
      const segment = this.at + 1;
      if (text.charCodeAt(segment) === 36) {
        const end = skip(text, segment + 1, word);
        const next = text.charCodeAt(end);
        if (text.slice(segment, end) !== "$count" || next === openParen || next === slash) return undefined;
        this.pass(end);
        return { kind: "Count", start, end, base: node, filter: null, search: null };
      }
      if (!is(text, segment, letter)) return undefined;
      const end = endOfName(text, segment);
      if (end < 0) return undefined;
      if (text.charCodeAt(end) === openParen) {
        this.at = end;
        if (spells(text, segment, end, "any")) return this.lambda(node, start, "any");
        if (spells(text, segment, end, "all")) return this.lambda(node, start, "all");
        return undefined;
      }
      this.pass(end);
      node = { kind: "Member", start, end, base: node, name: text.slice(segment, end) };
    }
    return node;
  }

  /** Reads a qualified type name that is the last argument. Reads nothing if there is none. */
  private lastType(): SyntaxNode | undefined {
    const { text, at: start } = this;
    const end = is(text, start, letter) ? endOfName(text, start) : -1;
    if (end < 0 || text.charCodeAt(skip(text, end, space)) !== closeParen) return undefined;
    const name = text.slice(start, end);
    if (!name.includes(".")) return undefined;
    this.pass(end);
    return { kind: "Type", start, end, name };
  }

  /** Reads the arguments of `cast(…,Type)` and `isof(…,Type)`; the parenthesis is at `at`. */
  private typed(name: string, start: number): SyntaxNode | undefined {
    this.enter();
    this.step();
    const args: SyntaxNode[] = [];
    let type = this.lastType();
    if (type === undefined) {
      const operand = this.expression(1);
      if (operand === undefined) return undefined;
      this.skipSpaces();
      if (this.next() !== comma) return undefined;
      this.step();
      type = this.lastType();
      if (type === undefined) return undefined;
      args.push(operand);
    }
    args.push(type);
    this.skipSpaces();
    this.at += 1;
    this.leave();
    return { kind: "Call", start, end: this.at, name, args };
  }

  /** Reads the arguments of `name(…)` at the start of an expression; the parenthesis is at `at`. */
  private call(name: string, start: number): SyntaxNode | undefined {
    const dotted = name.includes(".");
    if (dotted && !name.toLowerCase().startsWith("geo.")) return undefined;
    this.enter();
    this.step();
    const args: SyntaxNode[] = [];
    if (this.next() !== closeParen) {
      for (;;) {
        const arg = this.expression(1);
        if (arg === undefined) return undefined;
        args.push(arg);
        this.skipSpaces();
        if (this.next() !== comma) break;
        this.step();
      }
      if (this.next() !== closeParen) return undefined;
    }
    this.at += 1;
    this.leave();
    if (args.length === 1) {
      const kind = args[0]?.kind;
      // By its form, `Items('k')` is an item of a collection unless the name is a known function: the grammar builds it.
      if ((kind === "Literal" || kind === "Alias" || kind === "Enum") && !isCanonicalFunction(name)) {
        return undefined;
      }
    }
    return { kind: "Call", start, end: this.at, name, args };
  }

  /** Reads the `(variable:predicate)` of a lambda operator; the parenthesis is at `at`. */
  private lambda(base: SyntaxNode, start: number, operator: "any" | "all"): SyntaxNode | undefined {
    const { text } = this;
    this.enter();
    this.lambdas += 1;
    if (this.lambdas > this.limits.lambdaDepth) {
      throw tooComplex(this.limits, "lambdaDepth", { start, end: this.at });
    }
    this.step();
    let variable: string | null = null;
    let predicate: SyntaxNode | null = null;
    if (operator === "all" || this.next() !== closeParen) {
      if (!is(text, this.at, letter)) return undefined;
      const end = endOfIdentifier(text, this.at);
      if (end < 0) return undefined;
      variable = text.slice(this.at, end);
      this.pass(end);
      this.skipSpaces();
      if (this.next() !== 58) return undefined;
      this.step();
      const body = this.expression(1);
      if (body === undefined) return undefined;
      predicate = body;
      this.skipSpaces();
      if (this.next() !== closeParen) return undefined;
    }
    this.leave();
    this.lambdas -= 1;
    this.pass(this.at + 1);
    return { kind: "Lambda", start, end: this.at, operator, base, variable, predicate };
  }
}
