import { byte } from "./bytes.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { JsonMembers } from "./members.ts";

/**
 * Converts JSON lines to CSV: a header, lines that end with CRLF, quotes only where they are needed. Null is an empty cell, the
 * empty text is `""`, and a list or an object is its JSON text. Source: RFC 4180.
 */
export class CsvEncoder {
  readonly #columns: readonly string[];
  readonly #members: JsonMembers;
  /** Start and end of each column's value in the current line; a start of 0 means that the line has no value. */
  readonly #places: readonly [starts: Int32Array, ends: Int32Array];
  readonly #out = new GrowingBytes();

  constructor(columns: readonly string[]) {
    this.#columns = columns;
    this.#places = [new Int32Array(columns.length), new Int32Array(columns.length)];
    this.#members = new JsonMembers(columns);
  }

  /** Returns the header line. It is valid until the next call, like the result of {@link encode}. */
  header(): Uint8Array {
    const out = this.#out;
    for (const [i, name] of this.#columns.entries()) {
      if (i > 0) this.#put(byte.comma);
      this.#text(Buffer.from(JSON.stringify(name)));
    }
    this.#endLine();
    return out.take();
  }

  /**
   * Converts complete JSON lines. The result is valid until the next call.
   *
   * @throws {DeliveryError} `invalid_record`
   */
  encode(lines: Uint8Array): Uint8Array {
    const [starts, ends] = this.#places;
    const member = (place: number, start: number, end: number) => {
      starts[place] = start;
      ends[place] = end;
    };
    for (let at = 0; at < lines.length; ) {
      starts.fill(0);
      at = this.#members.walk(lines, at, member) + 1;
      this.#record(lines);
    }
    return this.#out.take();
  }

  #record(lines: Uint8Array): void {
    const [starts, ends] = this.#places;
    for (let place = 0; place < starts.length; place++) {
      if (place > 0) this.#put(byte.comma);
      const start = starts[place] as number;
      if (start > 0) this.#value(lines, start, ends[place] as number);
    }
    this.#endLine();
  }

  #value(lines: Uint8Array, start: number, end: number): void {
    const first = lines[start];
    if (first === byte.quote) this.#text(lines, start, end);
    else if (first === byte.openList || first === byte.openObject) this.#json(lines, start, end);
    else if (first !== letterN) this.#same(lines, start, end);
  }

  #put(one: number): void {
    this.#out.reserve(1);
    this.#out.put(one);
  }

  #endLine(): void {
    this.#put(byte.carriageReturn);
    this.#put(byte.lineFeed);
  }

  #json(bytes: Uint8Array, start: number, end: number): void {
    const out = this.#out;
    if (!hasSpecial(bytes, start, end)) {
      this.#same(bytes, start, end);
      return;
    }
    out.reserve(2 * (end - start) + 2);
    out.put(byte.quote);
    for (let at = start; at < end; at++) this.#double(bytes[at] as number);
    out.put(byte.quote);
  }

  /** Writes a JSON string, given from its opening quote to after its closing quote. */
  #text(bytes: Uint8Array, start = 0, end = bytes.length): void {
    if (end - start > 2 && !hasSpecial(bytes, start + 1, end - 1)) {
      this.#same(bytes, start + 1, end - 1);
      return;
    }
    const out = this.#out;
    // Each byte of JSON text becomes at most two bytes.
    out.reserve(2 * (end - start) + 2);
    const opening = out.length;
    out.put(byte.quote);
    const mustQuote = this.#unescape(bytes, start + 1, end - 1) || end - start === 2;
    if (mustQuote) {
      out.put(byte.quote);
      return;
    }
    out.bytes.copyWithin(opening, opening + 1, out.length);
    out.length--;
  }

  #same(bytes: Uint8Array, start: number, end: number): void {
    this.#out.reserve(end - start);
    this.#out.copy(bytes, start, end);
  }

  /** Writes the content of a JSON string with its quotes doubled. Returns true if the cell must be quoted. */
  #unescape(bytes: Uint8Array, start: number, end: number): boolean {
    const out = this.#out;
    let mustQuote = false;
    for (let at = start; at < end; at++) {
      const one = bytes[at] as number;
      if (one !== byte.backslash) {
        mustQuote ||= one === byte.comma;
        out.put(one);
        continue;
      }
      const character = escapes.get(bytes[++at] as number);
      if (character !== undefined) {
        mustQuote ||= isSpecial(character);
        this.#double(character);
        continue;
      }
      // `\u` and four digits, or two such escapes that form a surrogate pair.
      const length = isFirstHalf(bytes, at) ? 11 : 5;
      const unescaped = unescapeUnicode(bytes, at - 1, at + length);
      for (const piece of unescaped) {
        mustQuote ||= isSpecial(piece);
        this.#double(piece);
      }
      at += length - 1;
    }
    return mustQuote;
  }

  #double(one: number): void {
    if (one === byte.quote) this.#out.put(one);
    this.#out.put(one);
  }
}

/** First letter of `null`. */
const letterN = 0x6e;

/** Characters by the letter after the backslash. Source: RFC 8259, section 7. */
const escapes: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([letter, character]) => [letter.charCodeAt(0), character.charCodeAt(0)],
  ),
);

const isSpecial = (one: number): boolean =>
  one === byte.quote || one === byte.comma || one === byte.carriageReturn || one === byte.lineFeed;

/** True if JSON text has a character that CSV must quote, or a JSON escape. */
function hasSpecial(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const one = bytes[at];
    if (one === byte.comma || one === byte.backslash || one === byte.quote) return true;
  }
  return false;
}

/** True if the escape whose letter is at `at` is the first half of a surrogate pair. */
const isFirstHalf = (bytes: Uint8Array, at: number): boolean =>
  /^d[89ab]..\\u$/i.test(Buffer.from(bytes.subarray(at + 1, at + 7)).toString("latin1"));

const unescapeUnicode = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  Buffer.from(JSON.parse(`"${Buffer.from(bytes.subarray(start, end)).toString("latin1")}"`) as string);
