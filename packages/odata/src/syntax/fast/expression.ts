import { isCanonicalFunction } from "../function-names.ts";
import { parseGeo } from "../geo.ts";
import { deepestNesting, type Limits, tooComplex } from "../limits.ts";
import { type Operator, operatorAt, unaryBinds } from "../operators.ts";
import type { SyntaxNode } from "../tree.ts";
import { digit, is, letter, skip, space } from "./characters.ts";
import { endOfGuid, endOfNumeral, numeralType } from "./numeral.ts";

/*
 * A hand-made parser of common expressions: one pass over the code units, precedence climbing, no tokens.
 * It builds exactly the trees of the grammar. Whatever it does not know, and every fault, is `undefined`:
 * then the grammar decides and words the error.
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

/** Whether `text` spells the lower-case `name` between `start` and `end`, in any letter case. */
function spells(start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) {
    if ((text.charCodeAt(start + i) | 32) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** The operator after an operand that ends at `at`, without moving; its end is in `operatorEnd`. */
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
    // `-INF` is a literal, and the grammar's.
    if (text.startsWith("INF", start + 1)) return undefined;
    enter();
    const operand = climb(unaryBinds);
    depth -= 1;
    if (operand === undefined) return undefined;
    nodes += 1;
    return { kind: "Negate", start, end: at, operand };
  }
  if ((code | 32) === 110 && spells(at, at + 3, "not")) {
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
    // A path that goes on after the parenthesis is the grammar's.
    return text.charCodeAt(at) === slash ? undefined : inner;
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
    if (text.charCodeAt(end) === 46 || text.charCodeAt(end) > 127) return undefined;
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

/** The closing quote of a string that opens at `open`; -1 where there is none. Doubled quotes are skipped. */
function closingQuote(open: number): number {
  let close = text.indexOf("'", open + 1);
  while (close >= 0 && text.charCodeAt(close + 1) === quote) close = text.indexOf("'", close + 2);
  return close;
}

function stringLiteral(): SyntaxNode | undefined {
  const start = at;
  const close = closingQuote(at);
  if (close < 0) return undefined;
  at = close + 1;
  if (is(text, at, word)) return undefined;
  nodes += 1;
  const raw = text.slice(start + 1, close);
  const value = raw.includes("'") ? raw.replaceAll("''", "'") : raw;
  return { kind: "Literal", start, end: at, type: "String", value };
}

const enumMembers = /^(?:[A-Za-z_]\w*|[+-]?\d+)(?:,(?:[A-Za-z_]\w*|[+-]?\d+))*$/;

/** A literal with a prefix: `duration'…'`, `geography'…'`, `Ns.Type'…'`. The quote is at `open`. */
function prefixed(start: number, open: number): SyntaxNode | undefined {
  const close = closingQuote(open);
  if (close < 0 || is(text, close + 1, word)) return undefined;
  const prefix = text.slice(start, open);
  const end = close + 1;
  nodes += 1;
  if (prefix.includes(".")) {
    const value = text.slice(open + 1, close);
    at = end;
    return enumMembers.test(value) ? { kind: "Enum", start, end, typeName: prefix, value } : undefined;
  }
  const family = prefix.toLowerCase();
  if (family === "geography" || family === "geometry") {
    const geo = parseGeo(text, open + 1, close, family);
    at = end;
    return "fault" in geo ? undefined : { kind: "Geo", start, end, family, srid: geo.srid, shape: geo.shape };
  }
  if (family === "duration") {
    const value = text.slice(open + 1, close);
    at = end;
    return simpleDuration.test(value) ? { kind: "Literal", start, end, type: "Duration", value } : undefined;
  }
  return undefined;
}

const simpleDuration = /^-?P(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$(?<!P)/i;

/** The end of the dotted name at `from`; -1 where it is not one, or goes on with a letter above ASCII. */
function endOfName(from: number): number {
  let end = skip(text, from, word);
  while (text.charCodeAt(end) === 46) {
    if (!is(text, end + 1, letter)) return -1;
    end = skip(text, end + 1, word);
  }
  return text.charCodeAt(end) > 127 ? -1 : end;
}

/** The words that are no names at the start of an expression, by length. */
function reserved(start: number, end: number): SyntaxNode | null | undefined {
  const length = end - start;
  if (length === 4) {
    if (spells(start, end, "true")) return { kind: "Literal", start, end, type: "Boolean", value: true };
    if (spells(start, end, "null")) return { kind: "Literal", start, end, type: "Null", value: null };
    if (spells(start, end, "case") && text.charCodeAt(end) === openParen) return undefined;
    if (spells(start, end, "cast") && text.charCodeAt(end) === openParen) return undefined;
    if (spells(start, end, "isof") && text.charCodeAt(end) === openParen) return undefined;
  } else if (length === 5) {
    if (spells(start, end, "false")) return { kind: "Literal", start, end, type: "Boolean", value: false };
  } else if (length === 3) {
    if (text.startsWith("INF", start) || text.startsWith("NaN", start)) return undefined;
    const lambda = spells(start, end, "any") || spells(start, end, "all");
    if (lambda && text.charCodeAt(end) === openParen) return undefined;
  }
  return null;
}

/** A literal word, a call, or a path. */
function named(): SyntaxNode | undefined {
  const start = at;
  const end = endOfName(at);
  if (end < 0) return undefined;
  const next = text.charCodeAt(end);
  if (next === quote) return prefixed(start, end);
  if (next === 45 || next === 64) return guidLiteral();
  const literal = reserved(start, end);
  if (literal === undefined) return undefined;
  nodes += 1;
  at = end;
  if (literal !== null) return next === openParen || next === slash ? undefined : literal;
  const name = text.slice(start, end);
  if (next === openParen) return call(name, start);
  // A bare qualified name is no expression; before a slash it is a type cast.
  if (next !== slash && name.includes(".")) return undefined;
  return next === slash
    ? path({ kind: "Name", start, end, name }, start)
    : { kind: "Name", start, end, name };
}

function guidLiteral(): SyntaxNode | undefined {
  const start = at;
  const end = endOfGuid(text, at);
  if (end < 0 || is(text, end, word) || text.charCodeAt(end) === 45) return undefined;
  at = end;
  nodes += 1;
  return { kind: "Literal", start, end, type: "Guid", value: text.slice(start, end) };
}

/** `name(…)` at the start of an expression; the parenthesis is at `at`. */
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
  const next = text.charCodeAt(at);
  if (next === slash || next === openParen) return undefined;
  if (args.length === 1) {
    const kind = args[0]?.kind;
    // `Items('k')` by its form: an item of a collection, unless the name is a known function.
    if ((kind === "Literal" || kind === "Alias" || kind === "Enum") && !isCanonicalFunction(name)) {
      return undefined;
    }
  }
  return { kind: "Call", start, end: at, name, args };
}

/** The segments that follow `base`; the slash, if any, is at `at`. */
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
    const end = endOfName(segment);
    if (end < 0) return undefined;
    at = end;
    if (text.charCodeAt(end) === openParen) {
      if (spells(segment, end, "any")) return lambda(node, start, "any");
      if (spells(segment, end, "all")) return lambda(node, start, "all");
      return undefined;
    }
    nodes += 1;
    node = { kind: "Member", start, end, base: node, name: text.slice(segment, end) };
  }
  return text.charCodeAt(at) === openParen || text.charCodeAt(at) === quote ? undefined : node;
}

/** `(variable:predicate)` of a lambda operator; the parenthesis is at `at`. */
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
    const name = at;
    at = skip(text, at, word);
    variable = text.slice(name, at);
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
  const next = text.charCodeAt(at);
  if (next === slash || next === openParen) return undefined;
  return { kind: "Lambda", start, end: at, operator, base, variable, predicate };
}

const listItemKinds: ReadonlySet<string> = new Set(["Literal", "Enum", "Geo"]);

/** What follows `in`: a list of literals, or a path. */
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
  return text.charCodeAt(at) === slash ? undefined : { kind: "List", start, end: at, items };
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

/** The tree of `source`, or undefined where the grammar has to decide. */
export function parseFast(source: string, given: Limits): SyntaxNode | undefined {
  begin(source, given, 0);
  const tree = climb(1);
  if (tree === undefined || at !== source.length) return undefined;
  if (nodes > given.nodes) throw tooComplex(given, "nodes", { start: 0, end: source.length });
  return tree;
}

/** Offset after the expression that {@link parseFastPrefix} read last. */
export let fastEnd = 0;

/** The longest expression that begins at `from`, or undefined where the grammar has to decide. */
export function parseFastPrefix(source: string, from: number, given: Limits): SyntaxNode | undefined {
  begin(source, given, from);
  const tree = climb(1);
  fastEnd = at;
  if (nodes > given.nodes) throw tooComplex(given, "nodes", { start: 0, end: source.length });
  return tree;
}
