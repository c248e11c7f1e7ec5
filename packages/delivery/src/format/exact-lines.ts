import { endOfValue } from "@cadastre/odata/run";
import { DeliveryError } from "../errors.ts";
import type { ExportColumn } from "../source/export-source.ts";
import { byte } from "./bytes.ts";
import { isRetyped } from "./duckdb-types.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { JsonMembers } from "./members.ts";

/** Writes the value between `start` and `end`, possibly in another form. */
type Rewrite = (bytes: Uint8Array, start: number, end: number) => void;

/**
 * Rewrites JSON lines so that DuckDB reads them exactly. DuckDB reads numbers as doubles and silently rounds them to the scale of a
 * decimal, so decimals become strings, and a decimal that would be rounded is refused. Values of type `json` become strings as well.
 */
export class ExactLines {
  readonly #out = new GrowingBytes();
  readonly #names: JsonMembers;
  readonly #rewrites: readonly Rewrite[];
  readonly #isNeeded: boolean;

  constructor(columns: readonly ExportColumn[]) {
    this.#names = new JsonMembers(columns.map(({ name }) => name));
    this.#rewrites = columns.map((column) => this.#rewriteOf(column));
    this.#isNeeded = columns.some(isRetyped);
  }

  /**
   * Rewrites complete lines. The result is valid until the next call.
   *
   * @throws {DeliveryError} `decimal_out_of_range`, `invalid_record`
   */
  encode(lines: Uint8Array): Uint8Array {
    if (!this.#isNeeded) return lines;
    for (let at = 0; at < lines.length; ) {
      at = this.#members(lines, at, this.#names, this.#rewrites);
      this.#copy(lines, at, ++at);
    }
    return this.#out.take();
  }

  #rewriteOf(column: ExportColumn): Rewrite {
    if (!isRetyped(column)) return this.#copy;
    const one = this.#unlessNull(this.#rewriteOfOne(column));
    if (!column.collection) return one;
    return this.#unlessNull((bytes, start, end) => this.#items(bytes, start, end, one));
  }

  #rewriteOfOne({ name, type }: ExportColumn): Rewrite {
    if (typeof type === "string") return this.#json;
    if ("decimal" in type) {
      const [precision, scale] = type.decimal;
      return (bytes, start, end) => this.#decimal(bytes, start, end, { name, precision, scale });
    }
    const names = new JsonMembers(type.struct.map((member) => member.name));
    const rewrites = type.struct.map((member) => this.#rewriteOf(member));
    return (bytes, start) => {
      this.#members(bytes, start, names, rewrites);
    };
  }

  readonly #unlessNull =
    (rewrite: Rewrite): Rewrite =>
    (bytes, start, end) => {
      if (bytes[start] === letterN) this.#copy(bytes, start, end);
      else rewrite(bytes, start, end);
    };

  readonly #copy: Rewrite = (bytes, start, end) => {
    this.#out.reserve(end - start);
    this.#out.copy(bytes, start, end);
  };

  /** Rewrites the members of the object that begins at `start`. Returns the index after the object. */
  #members(bytes: Uint8Array, start: number, names: JsonMembers, rewrites: readonly Rewrite[]): number {
    let copied = start;
    const end = names.walk(bytes, start, (place, from, to) => {
      const rewrite = rewrites[place] as Rewrite;
      if (rewrite === this.#copy) return;
      this.#copy(bytes, copied, from);
      rewrite(bytes, from, to);
      copied = to;
    });
    this.#copy(bytes, copied, end);
    return end;
  }

  #items(bytes: Uint8Array, start: number, end: number, rewrite: Rewrite): void {
    let at = start + 1;
    this.#copy(bytes, start, at);
    while (at < end - 1) {
      const after = endOfValue(bytes, at);
      rewrite(bytes, at, after);
      this.#copy(bytes, after, after + 1);
      at = after + 1;
    }
    if (at === end - 1) this.#copy(bytes, at, end);
  }

  #decimal(bytes: Uint8Array, start: number, end: number, { name, precision, scale }: Decimal): void {
    const isQuoted = bytes[start] === byte.quote;
    const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end];
    if (!isShortWithin(bytes, from, to, precision, scale)) {
      const text = Buffer.from(bytes.subarray(from, to)).toString("latin1");
      if (!isWithin(text, precision, scale)) throw new DeliveryError("decimal_out_of_range", name);
    }
    this.#out.reserve(to - from + 2);
    this.#out.put(byte.quote);
    this.#out.copy(bytes, from, to);
    this.#out.put(byte.quote);
  }

  readonly #json: Rewrite = (bytes, start, end) => {
    const out = this.#out;
    out.reserve(2 * (end - start) + 2);
    out.put(byte.quote);
    for (let at = start; at < end; at++) {
      const one = bytes[at] as number;
      if (one === byte.quote || one === byte.backslash) out.put(byte.backslash);
      out.put(one);
    }
    out.put(byte.quote);
  };
}

type Decimal = { readonly name: string; readonly precision: number; readonly scale: number };

const letterN = 0x6e;
const [zero, nine, point, minus] = [0x30, 0x39, 0x2e, 0x2d];

/** Fast path of `isWithin` for the most common form: a number without an exponent, all of whose digits, zeros included, fit. */
function isShortWithin(
  bytes: Uint8Array,
  start: number,
  end: number,
  precision: number,
  scale: number,
): boolean {
  let [whole, fraction] = [0, -1];
  for (let at = bytes[start] === minus ? start + 1 : start; at < end; at++) {
    const one = bytes[at] as number;
    if (one === point && fraction < 0 && whole > 0) fraction = 0;
    else if (one < zero || one > nine) return false;
    else if (fraction < 0) whole++;
    else fraction++;
  }
  return whole > 0 && whole <= precision - scale && fraction <= scale && fraction !== 0;
}

/**
 * True if a decimal type of this precision and scale holds the number without rounding.
 *
 * @param text a JSON number
 */
function isWithin(text: string, precision: number, scale: number): boolean {
  const [, whole = "", fraction = "", exponent = "0"] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  if (whole === "") return false;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return true;
  // The number is 0.digits times ten to this power.
  const power = digits.length - fraction.length + Number(exponent);
  return power <= precision - scale && significant.length - power <= scale;
}
