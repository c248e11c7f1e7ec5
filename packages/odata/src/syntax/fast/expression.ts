import { isCanonicalFunction } from "../function-names.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import { type Operator, operatorAt, unaryBinds } from "../operators.ts";
import type { SyntaxNode } from "../tree.ts";
import { digit, endOfIdentifier, endOfName, is, letter, skip, space, spells } from "./characters.ts";
import { prefixedAt, stringAt, wordAt } from "./literal.ts";
import { endOfGuid, endOfNumeral, numeralType } from "./numeral.ts";

/*
 * Fast path: a hand-written parser of common expressions by precedence climbing, in one pass over the code
 * units, without tokens. It builds exactly the same trees as the grammar. For syntax it does not support, and for
 * every fault, it returns `undefined`; then the grammar decides, and words the error. The text after a value is
 * not checked: only white space, a comma or a closing parenthesis can continue an expression there, so after
 * anything else the text is not consumed to its end, and the grammar decides.
 */

let text = "";
let at = 0;
let nodes = 0;
let depth = 0;
let deepest = 0;
let lambdas = 0;
let limits: Limits;

const openParen = 40;
const closeParen = 41;
const quote = 39;
const comma = 44;
const slash = 47;
const word = letter | digit;

function skipSpaces(): void {
  while (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9) at += 1;
}

/** Returns the operator after an operand that ends at `at`, without consuming it. Sets `operatorEnd` to its end. */
let operatorEnd = 0;
function peekOperator(): Operator | undefined {
  const start = skip(text, at, space);
  if (start === at && text.charCodeAt(at - 1) !== closeParen) return undefined;
  const end = skip(text, start, letter);
  if (!is(text, end, space) && text.charCodeAt(end) !== openParen) return undefined;
  operatorEnd = end;
  return operatorAt(text, start, end);
}

function climb(binds: number): SyntaxNode | undefined {
  const start = at;
  const first = unary();
  if (first === undefined) return undefined;
  let left: SyntaxNode = first;
  let chain: SyntaxNode[] | null = null;
  let chained: "and" | "or" | null = null;
  for (;;) {
    const operator = peekOperator();
    if (operator === undefined || operator.binds < binds) return left;
    at = operatorEnd;
    skipSpaces();
    const right =
      operator.binds < unaryBinds
        ? climb(operator.binds + 1)
        : operator.builds === "In"
          ? members()
          : primary();
    if (right === undefined) return undefined;
    nodes += 1;
    if (nodes > limits.nodes) throw tooComplex(limits, "nodes", { start, end: at });
    switch (operator.builds) {
      case "Logical": {
        if (chain === null || chained !== operator.operator) {
          chain = [left];
          chained = operator.operator;
        } else {
          nodes -= 1;
        }
        chain.push(right);
        left = { kind: "Logical", start, end: at, operator: operator.operator, operands: chain };
        break;
      }
      case "Compare":
        left = { kind: "Compare", start, end: at, comparator: operator.operator, left, right };
        break;
      case "Arithmetic":
        left = { kind: "Arithmetic", start, end: at, operator: operator.operator, left, right };
        break;
      case "Has":
        left = { kind: "Has", start, end: at, operand: left, right };
        break;
      case "In":
        left = { kind: "In", start, end: at, operand: left, right };
        break;
    }
  }
}

function enter(): void {
  depth += 1;
  if (depth > deepest) throw tooComplex(limits, "nesting", { start: at, end: at + 1 });
}

function unary(): SyntaxNode | undefined {
  const start = at;
  const code = text.charCodeAt(at);
  if (code === 45 && !is(text, at + 1, digit)) {
    at += 1;
    skipSpaces();
    // `-INF` is a literal, which the grammar handles.
    if (text.startsWith("INF", start + 1)) return undefined;
    enter();
    const operand = climb(unaryBinds);
    depth -= 1;
    if (operand === undefined) return undefined;
    nodes += 1;
    return { kind: "Negate", start, end: at, operand };
  }
  if ((code | 32) === 110 && spells(text, at, at + 3, "not")) {
    const next = text.charCodeAt(at + 3);
    if (next === 32 || next === 9 || next === openParen) {
      at += 3;
      skipSpaces();
      enter();
      const operand = climb(unaryBinds);
      depth -= 1;
      if (operand === undefined) return undefined;
      nodes += 1;
      return { kind: "Not", start, end: at, operand };
    }
  }
  return primary();
}

function primary(): SyntaxNode | undefined {
  const start = at;
  const code = text.charCodeAt(at);
  if (code === quote) return stringLiteral();
  if (code === openParen) {
    enter();
    at += 1;
    skipSpaces();
    const inner = climb(1);
    if (inner === undefined) return undefined;
    skipSpaces();
    if (text.charCodeAt(at) !== closeParen) return undefined;
    at += 1;
    depth -= 1;
    return inner;
  }
  if (is(text, at, letter)) return named();
  if (is(text, at, digit) || code === 45) {
    const end = endOfNumeral(text, at);
    if (end < 0) return undefined;
    at = end;
    nodes += 1;
    return { kind: "Literal", start, end, type: numeralType, value: text.slice(start, end) };
  }
  if (code === 64 && is(text, at + 1, letter)) {
    const end = skip(text, at + 1, word);
    at = end;
    nodes += 1;
    return path({ kind: "Alias", start, end, name: text.slice(start, end) }, start);
  }
  if (code === 36) {
    const end = skip(text, at + 1, word);
    const name = text.slice(start, end);
    if (name !== "$it" && name !== "$this") return undefined;
    at = end;
    nodes += 1;
    return path({ kind: "Name", start, end, name }, start);
  }
  return undefined;
}

function stringLiteral(): SyntaxNode | undefined {
  const node = stringAt(text, at);
  if (node === undefined) return undefined;
  at = node.end;
  nodes += 1;
  return node;
}

/** True if the word between `start` and `end`, before a parenthesis, is a keyword with a syntax of its own. */
const isForm = (start: number, end: number): boolean =>
  end - start === 3
    ? spells(text, start, end, "any") || spells(text, start, end, "all")
    : end - start === 4 && spells(text, start, end, "case");

const isTyped = (start: number, end: number): boolean =>
  end - start === 4 && (spells(text, start, end, "cast") || spells(text, start, end, "isof"));

/** Parses a literal word, a call or a path. */
function named(): SyntaxNode | undefined {
  const start = at;
  const end = endOfName(text, at);
  if (end < 0) return undefined;
  const next = text.charCodeAt(end);
  if (next === quote) {
    const literal = prefixedAt(text, start, end);
    if (literal === undefined) return undefined;
    at = literal.end;
    nodes += 1;
    return literal;
  }
  if (next === 45 || next === 64) return guidLiteral();
  if (end - start === 3 && (text.startsWith("INF", start) || text.startsWith("NaN", start))) return undefined;
  const literal = wordAt(text, start, end);
  nodes += 1;
  at = end;
  if (literal !== null) return literal;
  const name = text.slice(start, end);
  if (next === openParen) {
    if (isForm(start, end)) return undefined;
    return isTyped(start, end) ? typed(name, start) : call(name, start);
  }
  // A qualified name alone is not an expression; before a slash it is a type cast.
  if (next !== slash && name.includes(".")) return undefined;
  return next === slash
    ? path({ kind: "Name", start, end, name }, start)
    : { kind: "Name", start, end, name };
}

function guidLiteral(): SyntaxNode | undefined {
  const start = at;
  const end = endOfGuid(text, at);
  if (end < 0) return undefined;
  at = end;
  nodes += 1;
  return { kind: "Literal", start, end, type: "Guid", value: text.slice(start, end) };
}

/** Parses a qualified type name that is the last argument. Consumes nothing if there is none. */
function lastType(): SyntaxNode | undefined {
  const start = at;
  const end = is(text, start, letter) ? endOfName(text, start) : -1;
  if (end < 0 || text.charCodeAt(skip(text, end, space)) !== closeParen) return undefined;
  const name = text.slice(start, end);
  if (!name.includes(".")) return undefined;
  at = end;
  nodes += 1;
  return { kind: "Type", start, end, name };
}

/** Parses the arguments of `cast(…,Type)` and `isof(…,Type)`; the parenthesis is at `at`. */
function typed(name: string, start: number): SyntaxNode | undefined {
  enter();
  at += 1;
  skipSpaces();
  const args: SyntaxNode[] = [];
  let type = lastType();
  if (type === undefined) {
    const operand = climb(1);
    if (operand === undefined) return undefined;
    skipSpaces();
    if (text.charCodeAt(at) !== comma) return undefined;
    at += 1;
    skipSpaces();
    type = lastType();
    if (type === undefined) return undefined;
    args.push(operand);
  }
  args.push(type);
  skipSpaces();
  at += 1;
  depth -= 1;
  return { kind: "Call", start, end: at, name, args };
}

/** Parses the arguments of `name(…)` at the start of an expression; the parenthesis is at `at`. */
function call(name: string, start: number): SyntaxNode | undefined {
  const dotted = name.includes(".");
  if (dotted && !name.toLowerCase().startsWith("geo.")) return undefined;
  enter();
  at += 1;
  skipSpaces();
  const args: SyntaxNode[] = [];
  if (text.charCodeAt(at) !== closeParen) {
    for (;;) {
      const arg = climb(1);
      if (arg === undefined) return undefined;
      args.push(arg);
      skipSpaces();
      if (text.charCodeAt(at) !== comma) break;
      at += 1;
      skipSpaces();
    }
    if (text.charCodeAt(at) !== closeParen) return undefined;
  }
  at += 1;
  depth -= 1;
  if (args.length === 1) {
    const kind = args[0]?.kind;
    // `Items('k')` is by its form an item of a collection, unless the name is a known function.
    if ((kind === "Literal" || kind === "Alias" || kind === "Enum") && !isCanonicalFunction(name)) {
      return undefined;
    }
  }
  return { kind: "Call", start, end: at, name, args };
}

/** Parses the segments that follow `base`; a slash, if any, is at `at`. */
function path(base: SyntaxNode, start: number): SyntaxNode | undefined {
  let node = base;
  while (text.charCodeAt(at) === slash) {
    const segment = at + 1;
    if (text.charCodeAt(segment) === 36) {
      const end = skip(text, segment + 1, word);
      const next = text.charCodeAt(end);
      if (text.slice(segment, end) !== "$count" || next === openParen || next === slash) return undefined;
      at = end;
      nodes += 1;
      return { kind: "Count", start, end, base: node, filter: null, search: null };
    }
    if (!is(text, segment, letter)) return undefined;
    const end = endOfName(text, segment);
    if (end < 0) return undefined;
    at = end;
    if (text.charCodeAt(end) === openParen) {
      if (spells(text, segment, end, "any")) return lambda(node, start, "any");
      if (spells(text, segment, end, "all")) return lambda(node, start, "all");
      return undefined;
    }
    nodes += 1;
    node = { kind: "Member", start, end, base: node, name: text.slice(segment, end) };
  }
  return node;
}

/** Parses the `(variable:predicate)` of a lambda operator; the parenthesis is at `at`. */
function lambda(base: SyntaxNode, start: number, operator: "any" | "all"): SyntaxNode | undefined {
  enter();
  lambdas += 1;
  if (lambdas > limits.lambdaDepth) throw tooComplex(limits, "lambdaDepth", { start, end: at });
  at += 1;
  skipSpaces();
  let variable: string | null = null;
  let predicate: SyntaxNode | null = null;
  if (operator === "all" || text.charCodeAt(at) !== closeParen) {
    if (!is(text, at, letter)) return undefined;
    const end = endOfIdentifier(text, at);
    if (end < 0) return undefined;
    variable = text.slice(at, end);
    nodes += 1;
    at = end;
    skipSpaces();
    if (text.charCodeAt(at) !== 58) return undefined;
    at += 1;
    skipSpaces();
    const body = climb(1);
    if (body === undefined) return undefined;
    predicate = body;
    skipSpaces();
    if (text.charCodeAt(at) !== closeParen) return undefined;
  }
  at += 1;
  depth -= 1;
  lambdas -= 1;
  nodes += 1;
  return { kind: "Lambda", start, end: at, operator, base, variable, predicate };
}

const listItemKinds: ReadonlySet<string> = new Set(["Literal", "Enum", "Geo"]);

/** Parses the right operand of `in`: a list of literals, or a path. */
function members(): SyntaxNode | undefined {
  if (text.charCodeAt(at) !== openParen) return primary();
  const start = at;
  enter();
  at += 1;
  skipSpaces();
  const items: SyntaxNode[] = [];
  if (text.charCodeAt(at) !== closeParen) {
    for (;;) {
      const code = text.charCodeAt(at);
      const item = code === quote ? stringLiteral() : code === openParen ? undefined : primary();
      if (item === undefined || !listItemKinds.has(item.kind)) return undefined;
      items.push(item);
      if (items.length > limits.listItems) {
        throw tooComplex(limits, "listItems", { start: item.start, end: item.end });
      }
      skipSpaces();
      if (text.charCodeAt(at) !== comma) break;
      at += 1;
      skipSpaces();
    }
    if (text.charCodeAt(at) !== closeParen) return undefined;
  }
  at += 1;
  depth -= 1;
  nodes += 1;
  return { kind: "List", start, end: at, items };
}

function begin(source: string, given: Limits, from: number): void {
  text = source;
  at = from;
  nodes = 0;
  depth = 0;
  lambdas = 0;
  limits = given;
  deepest = Math.min(given.nesting, deepestNesting);
}

/** Parses all of `source`; returns undefined if the grammar must decide. */
export function parseFast(source: string, given: Limits): SyntaxNode | undefined {
  begin(source, given, 0);
  const tree = climb(1);
  if (tree === undefined || at !== source.length) return undefined;
  if (nodes > given.nodes) throw tooComplex(given, "nodes", { start: 0, end: source.length });
  return tree;
}

/** Offset after the expression that {@link parseFastPrefix} parsed last. */
export let fastEnd = 0;

/** Parses the longest expression that begins at `from`; returns undefined if the grammar must decide. */
export function parseFastPrefix(source: string, from: number, given: Limits): SyntaxNode | undefined {
  begin(source, given, from);
  const tree = climb(1);
  fastEnd = at;
  if (nodes > given.nodes) throw tooComplex(given, "nodes", { start: 0, end: source.length });
  return tree;
}
