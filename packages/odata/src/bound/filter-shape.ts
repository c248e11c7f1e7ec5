import { digit, is, letter } from "../syntax/fast/characters.ts";
import { endOfNumeral, numeralType } from "../syntax/fast/numeral.ts";
import type { LiteralNode } from "../syntax/tree.ts";

/**
 * The text of a filter and the positions of its literals. Filters of the same shape differ only in the values of
 * their literals.
 */
export type FilterShape = {
  readonly text: string;
  readonly literals: readonly LiteralNode[];
  /** Hash of the shape: equal for filters of the same shape, and rarely equal for others. */
  readonly hash: number;
};

const quote = 39;
const hyphen = 45;
/** Starts of a JSON string (34) and of a parameter alias (64), which may stand for anything. */
const foreign = new Set([34, 64]);

const mixed = (hash: number, code: number): number => (Math.imul(hash, 31) + code) | 0;

/**
 * Finds the literals of a filter; returns undefined if some may be neither strings nor begin with a digit or a
 * minus (with a prefix, in JSON, or behind an alias).
 */
export function filterShapeOf(text: string): FilterShape | undefined {
  if (text.includes("\0")) return undefined;
  const literals: LiteralNode[] = [];
  let hash = 7;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (is(text, at, letter)) {
      do {
        hash = mixed(hash, text.charCodeAt(at));
        at += 1;
      } while (is(text, at, letter | digit));
      // `duration'…'`, `Ns.Type'…'`: the prefix says how to read the quoted text.
      if (text.charCodeAt(at) === quote) return undefined;
    } else if (code === quote) {
      const end = endOfQuoted(text, at);
      if (end < 0) return undefined;
      const inner = text.slice(at + 1, end - 1);
      const value = inner.includes("'") ? inner.replaceAll("''", "'") : inner;
      literals.push({ kind: "Literal", type: "String", value, start: at, end });
      hash = mixed(hash, quote);
      at = end;
    } else if (is(text, at, digit) || (code === hyphen && is(text, at + 1, digit))) {
      const end = endOfNumeral(text, at);
      if (end < 0) return undefined;
      literals.push({ kind: "Literal", type: numeralType, value: text.slice(at, end), start: at, end });
      hash = mixed(hash, numeralType.length);
      at = end;
    } else {
      if (foreign.has(code)) return undefined;
      hash = mixed(hash, code);
      at += 1;
    }
  }
  return { text, literals, hash };
}

function endOfQuoted(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const close = text.indexOf("'", at);
    if (close < 0) return -1;
    if (text.charCodeAt(close + 1) !== quote) return close + 1;
    at = close + 2;
  }
}

/** True if two filters differ only in the values of their literals. */
export function isSameShape(a: FilterShape, b: FilterShape): boolean {
  const [mine, others] = [a.literals, b.literals];
  if (mine.length !== others.length) return false;
  let fromA = 0;
  let fromB = 0;
  for (let i = 0; i < mine.length; i += 1) {
    const [literal, other] = [mine[i] as LiteralNode, others[i] as LiteralNode];
    if (literal.type !== other.type) return false;
    if (!isSameText(a.text, fromA, literal.start, b.text, fromB, other.start)) return false;
    fromA = literal.end;
    fromB = other.end;
  }
  return isSameText(a.text, fromA, a.text.length, b.text, fromB, b.text.length);
}

function isSameText(a: string, fromA: number, toA: number, b: string, fromB: number, toB: number): boolean {
  if (toA - fromA !== toB - fromB) return false;
  for (let i = 0; i < toA - fromA; i += 1) {
    if (a.charCodeAt(fromA + i) !== b.charCodeAt(fromB + i)) return false;
  }
  return true;
}
