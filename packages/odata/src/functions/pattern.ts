import type { RE2JS } from "re2js";
import { loadRe2js } from "./re2js.ts";

/** Inclusive ranges of code points. */
type Ranges = readonly (readonly [first: number, last: number])[];

// Text in queries and records never contains U+0000, so the sets leave it out.
const [leastCode, greatestCode] = [1, 0x10ffff];

const digits: Ranges = [[0x30, 0x39]];
const word: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const space: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const lineEnds: Ranges = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

function complement(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let next = leastCode;
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    if (first > next) gaps.push([next, first - 1]);
    next = Math.max(next, last + 1);
  }
  if (next <= greatestCode) gaps.push([next, greatestCode]);
  return gaps;
}

const classes: Readonly<Record<string, Ranges>> = {
  d: digits,
  D: complement(digits),
  w: word,
  W: complement(word),
  s: space,
  S: complement(space),
};

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * Limits of a translated pattern: the count of a repetition (PostgreSQL allows at most 255), the size and the
 * nesting of groups. The size is the number of characters and sets after all repetitions are expanded, which
 * determines the cost of matching.
 */
const [greatestCount, greatestSize, greatestDepth] = [255, 1000, 50];

const tokens = {
  quantifier: /(?:[*+?]|\{(\d{1,3})(?:(,)(\d{0,3}))?\})\??/y,
  anyQuantifier: /\{\d+(?:,\d*)?\}/y,
  group: /\((?:\?:|\?<[A-Za-z_$][\w$]*>|(?!\?))/y,
  classEscape: /\\([dDwWsS])/y,
  escape:
    /\\(?:([tnvfr])|c([A-Za-z])|x([\da-fA-F]{2})|u\{([\da-fA-F]{1,6})\}|u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})|u([\da-fA-F]{4})|([^A-Za-z\d]))/uy,
} as const;

/** Thrown when a pattern cannot be translated. */
class Refused extends Error {}

class Translation {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  #take(token: keyof typeof tokens): RegExpExecArray | null {
    const expression = tokens[token];
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }

  #takeText(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /**
   * Returns the pattern in the syntax of RE2. Groups do not capture and quantifiers are not lazy, because only the
   * fact of a match matters.
   */
  run(): string {
    let text = "";
    let size = 0;
    const outer: number[] = [];
    /** Size of the item that a quantifier would repeat; -1 if there is none. */
    let last = -1;
    while (this.#at < this.#pattern.length) {
      const quantifier = this.#take("quantifier");
      if (quantifier !== null) {
        if (last < 0) throw new Refused();
        const [spelled, times] = repetition(quantifier);
        text += spelled;
        size += last * (times - 1);
        last = -1;
      } else if (this.#take("group") !== null) {
        outer.push(size);
        if (outer.length > greatestDepth) throw new Refused();
        text += "(?:";
        size = 0;
        last = -1;
      } else if (this.#takeText(")")) {
        const before = outer.pop();
        if (before === undefined) throw new Refused();
        text += ")";
        last = size + 1;
        size = before + last;
      } else {
        const assertion = this.#assertion();
        text += assertion ?? this.#atom();
        last = assertion === null ? 1 : -1;
        if (assertion === null) size += 1;
      }
      if (size > greatestSize) throw new Refused();
    }
    if (outer.length > 0) throw new Refused();
    return text;
  }

  /** Reads an assertion or `|`, neither of which a quantifier may follow. */
  #assertion(): string | null {
    return ["|", "^", "$", "\\b", "\\B"].find((text) => this.#takeText(text)) ?? null;
  }

  #atom(): string {
    if (this.#takeText(".")) return spellSet(complement(lineEnds));
    if (this.#takeText("[")) return spellSet(this.#class());
    if (this.#take("anyQuantifier") !== null || this.#takeText("(")) throw new Refused();
    const item = this.#item();
    return typeof item === "number" ? spell(item) : spellSet(item);
  }

  /** Reads a character class after its opening bracket. */
  #class(): Ranges {
    const negated = this.#takeText("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takeText("]")) {
      if (this.#at >= this.#pattern.length) throw new Refused();
      ranges.push(...this.#classRange());
    }
    const found = ranges.map(([a, b]) => [Math.max(a, leastCode), b] as const).filter(([a, b]) => a <= b);
    return negated ? complement(found) : found;
  }

  #classRange(): Ranges {
    const from = this.#classItem();
    const next = this.#pattern.slice(this.#at, this.#at + 2);
    if (!next.startsWith("-") || next.endsWith("]") || next.length < 2) return rangesOf(from);
    this.#at += 1;
    const to = this.#classItem();
    // A hyphen next to a set is literal, as in ECMAScript's Annex B.
    if (typeof from !== "number" || typeof to !== "number")
      return [...rangesOf(from), [0x2d, 0x2d], ...rangesOf(to)];
    if (from > to) throw new Refused();
    return [[from, to]];
  }

  #classItem(): number | Ranges {
    return this.#takeText("\\b") ? 8 : this.#item();
  }

  /** Reads a literal or escaped character, or the escape of a set. */
  #item(): number | Ranges {
    const set = this.#take("classEscape");
    if (set !== null) return classes[set[1] ?? ""] ?? [];
    const escapeToken = this.#take("escape");
    if (escapeToken !== null) return escapedCode(escapeToken);
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    if (code === 0x5c) throw new Refused();
    this.#at += code > 0xffff ? 2 : 1;
    return checked(code);
  }
}

const rangesOf = (item: number | Ranges): Ranges => (typeof item === "number" ? [[item, item]] : item);

/** Returns the text of a quantifier, and the number of repetitions it expands to. */
function repetition([text, least, comma, most]: RegExpExecArray): readonly [spelled: string, times: number] {
  if (least === undefined) return [text.charAt(0), 1];
  const [from, to] = [Number(least), most === undefined || most === "" ? undefined : Number(most)];
  if (from > greatestCount || (to ?? 0) > greatestCount || (to ?? from) < from) throw new Refused();
  const spelled = comma === undefined ? `{${from}}` : `{${from},${to ?? ""}}`;
  return [spelled, Math.max(to ?? from + (comma === undefined ? 0 : 1), 1)];
}

function escapedCode([, control, letter, ...rest]: RegExpExecArray): number {
  if (control !== undefined) return controls[control] ?? 0;
  if (letter !== undefined) return (letter.codePointAt(0) ?? 0) % 32;
  const [byte, long, high, low, unit, self] = rest;
  if (self !== undefined) return checked(self.codePointAt(0) ?? 0);
  if (high !== undefined && low !== undefined) {
    return 0x10000 + ((Number.parseInt(high, 16) & 0x3ff) << 10) + (Number.parseInt(low, 16) & 0x3ff);
  }
  return checked(Number.parseInt(byte ?? long ?? unit ?? "", 16));
}

/** Returns the code point, which must be one that text can contain. */
function checked(code: number): number {
  if (code > greatestCode || (code >= 0xd800 && code <= 0xdfff)) throw new Refused();
  return code;
}

const escaped = (code: number): string => `\\x{${code.toString(16)}}`;

function spell(code: number): string {
  if (code < leastCode) throw new Refused();
  return /[\dA-Za-z]/.test(String.fromCodePoint(code)) ? String.fromCodePoint(code) : escaped(code);
}

function spellSet(ranges: Ranges): string {
  if (ranges.length === 0) return `[^${escaped(0)}-${escaped(greatestCode)}]`;
  return `[${ranges.map(([a, b]) => (a === b ? escaped(a) : `${escaped(a)}-${escaped(b)}`)).join("")}]`;
}

const compiled = new Map<string, RE2JS | null>();
const mostCompiled = 200;

/** Translates a pattern to the syntax of RE2; returns null if that is not possible. */
function translate(pattern: string): string | null {
  try {
    return new Translation(pattern).run();
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function compile(pattern: string): RE2JS | null {
  const translated = translate(pattern);
  return translated === null ? null : loadRe2js().RE2JS.compile(translated);
}

function compiledPattern(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const expression = compile(pattern);
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}

/**
 * True if `text` is a pattern in the regular subset of ECMAScript's syntax, which can be matched in linear time:
 * without look-around, back-references, `\p`, flags, and counts above 255. The pattern is not compiled: that would
 * take a hundred times as long, and a filter may have hundreds of patterns.
 */
export const isPattern = (text: string): boolean => translate(text) !== null;

/** True if a part of `text` matches, code point by code point; null if `pattern` is invalid. */
export const matchesPattern = (text: string, pattern: string): boolean | null =>
  compiledPattern(pattern)?.test(text) ?? null;
