import { digit, is, letter, skip } from "../syntax/fast/characters.ts";
import { endOfNumeral, numeralType } from "../syntax/fast/numeral.ts";
import type { LiteralNode } from "../syntax/tree.ts";

/** A filter without its literals: texts of one shape differ in nothing else. */
export type Shape = {
  /** The text with a mark of its type for each literal. */
  readonly key: string;
  readonly literals: readonly LiteralNode[];
};

const quote = 39;
const hyphen = 45;
/** An alias may stand for anything; a JSON string and the shapes' text are literals of another kind. */
const foreign = /["@\0]/;

/** Take the literals out of a filter; undefined for a text whose literals are not all of the common kinds. */
export function shapeOf(text: string): Shape | undefined {
  if (foreign.test(text)) return undefined;
  const literals: LiteralNode[] = [];
  let key = "";
  let copied = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (is(text, at, letter)) {
      at = skip(text, at, letter | digit);
      // `duration'…'`, `Ns.Type'…'`: the prefix says how to read what is quoted.
      if (text.charCodeAt(at) === quote) return undefined;
    } else if (code === quote) {
      const end = endOfQuoted(text, at);
      if (end < 0) return undefined;
      const inner = text.slice(at + 1, end - 1);
      const value = inner.includes("'") ? inner.replaceAll("''", "'") : inner;
      literals.push({ kind: "Literal", type: "String", value, start: at, end });
      key += `${text.slice(copied, at)}''`;
      copied = at = end;
    } else if (is(text, at, digit) || (code === hyphen && is(text, at + 1, digit))) {
      const end = endOfNumeral(text, at);
      if (end < 0) return undefined;
      const type = numeralType;
      literals.push({ kind: "Literal", type, value: text.slice(at, end), start: at, end });
      // No name begins with a digit, so the mark cannot be taken for one.
      key += `${text.slice(copied, at)}0${type}`;
      copied = at = end;
    } else at += 1;
  }
  return { key: key + text.slice(copied), literals };
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
