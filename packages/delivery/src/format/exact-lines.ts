import { endOfValue } from "@cadastre/odata/run";
import { DeliveryError } from "../errors.ts";
import type { ExportColumn } from "../source/export-source.ts";
import { byte } from "./bytes.ts";
import { isRetyped } from "./duckdb-types.ts";
import { GrowingBytes } from "./growing-bytes.ts";
import { JsonMembers } from "./members.ts";

/** Checks the value between `start` and `end`, and possibly writes it in another form. */
type Visit = (bytes: Uint8Array, start: number, end: number) => void;

/**
 * Makes JSON lines such that DuckDB reads them exactly. DuckDB reads numbers as doubles and silently rounds them to the scale of a decimal,
 * so decimals become strings, and a decimal that would be rounded is refused. Values of type `json` become strings as well.
 */
export class ExactLines {
  readonly #out = new GrowingBytes();
  /** End of the bytes of the present lines that are copied or replaced. */
  #copied = 0;
  readonly #visitLine: ((bytes: Uint8Array, start: number) => number) | undefined;

  constructor(columns: readonly ExportColumn[]) {
    this.#visitLine = columns.some(isRetyped) ? this.#visitObject(columns) : undefined;
  }

  /**
   * Rewrites complete lines. The result is valid until the next call, or as long as the lines.
   *
   * @throws {DeliveryError} `decimal_out_of_range`, `invalid_record`
   */
  encode(lines: Uint8Array): Uint8Array {
    const visitLine = this.#visitLine;
    if (visitLine === undefined) return lines;
    this.#copied = 0;
    for (let at = 0; at < lines.length; ) at = visitLine(lines, at) + 1;
    if (this.#copied === 0) return lines;
    this.#copyTo(lines, lines.length);
    return this.#out.take();
  }

  /** Returns a function that visits the members of the object at an index, and returns the index after it. */
  #visitObject(columns: readonly ExportColumn[]): (bytes: Uint8Array, start: number) => number {
    const names = new JsonMembers(columns.map(({ name }) => name));
    const visits = columns.map((column) => this.#visitOf(column));
    return (bytes, start) =>
      names.walk(bytes, start, (place, from, to) => {
        const visit = visits[place];
        if (visit !== undefined && bytes[from] !== letterN) visit(bytes, from, to);
      });
  }

  #visitOf(column: ExportColumn): Visit | undefined {
    if (!isRetyped(column)) return undefined;
    const one = this.#visitOfOne(column);
    return column.collection ? (bytes, start, end) => visitItems(bytes, start, end, one) : one;
  }

  #visitOfOne(column: ExportColumn): Visit {
    const { name, type } = column;
    if (typeof type === "string") return this.#quoteJson;
    if ("struct" in type) {
      const visit = this.#visitObject(type.struct);
      return (bytes, start) => void visit(bytes, start);
    }
    const [precision, scale] = type.decimal;
    const decimal = { name, precision, scale };
    return (bytes, start, end) => {
      requireDecimal(bytes, start, end, decimal);
      if (bytes[start] !== byte.quote) this.#quoteNumber(bytes, start, end);
    };
  }

  /** Copies the bytes that are not copied yet, up to an index. */
  #copyTo(bytes: Uint8Array, end: number): void {
    this.#out.reserve(end - this.#copied);
    this.#out.copy(bytes, this.#copied, end);
    this.#copied = end;
  }

  #quoteNumber(bytes: Uint8Array, start: number, end: number): void {
    this.#copyTo(bytes, start);
    this.#out.reserve(1);
    this.#out.put(byte.quote);
    this.#copyTo(bytes, end);
    this.#out.reserve(1);
    this.#out.put(byte.quote);
  }

  readonly #quoteJson: Visit = (bytes, start, end) => {
    const out = this.#out;
    this.#copyTo(bytes, start);
    out.reserve(2 * (end - start) + 2);
    out.put(byte.quote);
    for (let at = start; at < end; at++) {
      const one = bytes[at] as number;
      if (one === byte.quote || one === byte.backslash) out.put(byte.backslash);
      out.put(one);
    }
    out.put(byte.quote);
    this.#copied = end;
  };
}

function visitItems(bytes: Uint8Array, start: number, end: number, visit: Visit): void {
  for (let at = start + 1; at < end - 1; ) {
    const after = endOfValue(bytes, at);
    if (bytes[at] !== letterN) visit(bytes, at, after);
    at = after + 1;
  }
}

/** @throws {DeliveryError} `decimal_out_of_range` */
function requireDecimal(
  bytes: Uint8Array,
  start: number,
  end: number,
  { name, precision, scale }: Decimal,
): void {
  const isQuoted = bytes[start] === byte.quote;
  const [from, to] = isQuoted ? [start + 1, end - 1] : [start, end];
  if (isShortWithin(bytes, from, to, precision, scale)) return;
  const text = Buffer.from(bytes.subarray(from, to)).toString("latin1");
  if (!isWithin(text, precision, scale)) throw new DeliveryError("decimal_out_of_range", name);
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
