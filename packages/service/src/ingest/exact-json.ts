import type { Row } from "@cadastre/odata";
import { isSameDecimal, parseDecimal } from "./decimal.ts";

/** A number as its text, for one that a double does not hold exactly: `JSON.parse` would change its digits. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Number of digits that every double keeps. */
const digitsOfDouble = 15;

/** Returns the number in a JSON text: a double if it has the same value and, for an integer, is exact. */
export function numberOf(text: string): number | ExactNumber {
  const number = Number(text);
  if (text.length <= digitsOfDouble && !/e/i.test(text)) return number;
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number)))
    return new ExactNumber(text);
  const [exact, read] = [parseDecimal(text), parseDecimal(String(number))];
  const isExact = exact !== undefined && read !== undefined && isSameDecimal(exact, read);
  return isExact ? number : new ExactNumber(text);
}

/** Matches numbers that a double may not hold: long ones, and those with an exponent. It may also match text in a string. */
const suspect = /[:,[]\s*-?(?:\d[\d.]{15,}|\d[\d.]*[eE])/;

/**
 * Parses JSON, with an {@link ExactNumber} for each number that `JSON.parse` would change. Undefined if the text is not JSON.
 */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return suspect.test(text) ? new ExactReader(text).read() : value;
  } catch {
    return undefined;
  }
}

/**
 * Returns the name of a member that occurs twice in one object of the text. `JSON.parse` silently keeps the last one.
 * Undefined if there is none.
 *
 * @param value result of `parseJson` for the text
 * @throws {SyntaxError} if it is nested too deeply
 */
export function duplicateMember(text: string, value: unknown): string | undefined {
  // Strings may contain text that looks like a member name, so the count can be too high but never too low.
  if (namesIn(text) === membersOf(value)) return undefined;
  const reader = new ExactReader(text);
  reader.read();
  return reader.duplicate;
}

/** Returns the number of quotes that are followed by a colon. */
function namesIn(text: string): number {
  let names = 0;
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1;
    while (text.charCodeAt(before) <= space) before--;
    if (text.charCodeAt(before) === quote) names++;
  }
  return names;
}

/** Returns the number of members of all objects in a value. */
function membersOf(value: unknown, depth = 1): number {
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) return 0;
  if (depth > maxDepth) throw new SyntaxError("nested too deeply");
  let members = 0;
  if (Array.isArray(value)) for (const item of value) members += membersOf(item, depth + 1);
  // By name: to copy the values of some hundred members takes twice as long.
  else for (const name of Object.keys(value)) members += 1 + membersOf((value as Row)[name], depth + 1);
  return members;
}

/** Maximum nesting depth. Deeper text is malformed. */
const maxDepth = 256;

const space = 0x20;
const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const [openArray, closeArray] = [0x5b, 0x5d];
const [openObject, closeObject] = [0x7b, 0x7d];

const literals: Readonly<Record<string, unknown>> = { true: true, false: false, null: null };

/** Parses text that `JSON.parse` has accepted. */
class ExactReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  /** First name that occurred twice in one object. */
  duplicate: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws {SyntaxError} if it is nested too deeply */
  read(): unknown {
    switch (this.#next()) {
      case quote:
        return this.#string();
      case openObject:
        return this.#object();
      case openArray:
        return this.#items(closeArray, () => this.read());
      default:
        return this.#word();
    }
  }

  /** Returns the code of the next character that is not white space. */
  #next(): number {
    while (this.#text.charCodeAt(this.#at) <= space) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  #items<T>(end: number, item: () => T): T[] {
    if (++this.#depth > maxDepth) throw new SyntaxError("nested too deeply");
    this.#at++;
    const items: T[] = [];
    while (this.#next() !== end) {
      items.push(item());
      if (this.#next() === comma) this.#at++;
    }
    this.#at++;
    this.#depth--;
    return items;
  }

  #object(): unknown {
    const members = this.#items(closeObject, () => this.#member());
    const names = new Set<string>();
    for (const [name] of members) {
      if (names.has(name)) this.duplicate ??= name;
      names.add(name);
    }
    return Object.fromEntries(members);
  }

  #member(): [string, unknown] {
    const name = this.#string();
    this.#next();
    this.#at++;
    return [name, this.read()];
  }

  #string(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    const isPlain = !this.#text.slice(start, end).includes("\\");
    while (this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    this.#at = end + 1;
    return isPlain
      ? this.#text.slice(start + 1, end)
      : (JSON.parse(this.#text.slice(start, end + 1)) as string);
  }

  /** True if an odd number of backslashes comes before. */
  #isEscaped(at: number): boolean {
    let first = at;
    while (this.#text.charCodeAt(first - 1) === backslash) first--;
    return (at - first) % 2 === 1;
  }

  /** Reads a number, `true`, `false` or `null`. */
  #word(): unknown {
    wordPattern.lastIndex = this.#at;
    const [word = ""] = wordPattern.exec(this.#text) ?? [];
    this.#at += word.length;
    return Object.hasOwn(literals, word) ? literals[word] : numberOf(word);
  }
}

const wordPattern = /[-+.\w]+/y;
