import Big from "big.js";
import { arithmetic } from "../evaluate/arithmetic.ts";
import { withinDecimal } from "../evaluate/bounds.ts";
import type { EdmNumber } from "../model/numbers.ts";

/**
 * The sum of numbers, exact and independent of their order: a double counts as the decimal that its shortest text states, and only the
 * result is rounded to a double.
 */
export class ExactSum {
  #count = 0;
  /** Sums of the numbers with the same number of digits after the point, in units of the last digit. Integers add up fast. */
  readonly #units = new Map<number, bigint>();
  /** Sum of the infinities: NaN if both signs occur. */
  #infinity = 0;

  /** Adds a number. @param scale digits after the point of an integer that is scaled */
  add(number: EdmNumber, scale = 0): void {
    this.#count += 1;
    if (typeof number === "bigint") this.#addUnits(number, scale);
    else if (typeof number !== "number")
      this.#addUnits(BigInt(number.c.join("")) * BigInt(number.s), number.c.length - 1 - number.e);
    else if (Number.isSafeInteger(number)) this.#addUnits(BigInt(number), 0);
    else if (Number.isFinite(number)) this.#addText(String(number));
    else this.#infinity += number;
  }

  /** The sum as a decimal. Null without numbers, and for a sum beyond the bounds of decimals. */
  decimal(): Big | null {
    return this.#count === 0 ? null : withinDecimal(this.#exact());
  }

  /** The sum, rounded to the nearest double. Null without numbers, and for infinities of both signs. */
  double(): number | null {
    if (this.#count === 0 || Number.isNaN(this.#infinity)) return null;
    return this.#infinity === 0 ? Number(this.#exact().toString()) : this.#infinity;
  }

  /** The sum divided by the number of numbers, with twenty digits after the point: the quotient of `divby`. */
  decimalAverage(): Big | null {
    const sum = this.decimal();
    return sum && (arithmetic("divby", "Edm.Decimal", sum, new Big(this.#count)) as Big | null);
  }

  /** The rounded sum divided by the number of numbers. */
  doubleAverage(): number | null {
    const sum = this.double();
    return sum === null ? null : (arithmetic("divby", "Edm.Double", sum, this.#count) as number | null);
  }

  #addUnits(units: bigint, scale: number): void {
    this.#units.set(scale, (this.#units.get(scale) ?? 0n) + units);
  }

  /** Adds a number that is given as `-12.5e-7`. */
  #addText(text: string): void {
    const [digits = "", power = "0"] = text.split("e");
    const point = digits.indexOf(".");
    if (point < 0) this.#addUnits(BigInt(digits), -Number(power));
    else {
      const units = BigInt(digits.slice(0, point) + digits.slice(point + 1));
      this.#addUnits(units, digits.length - 1 - point - Number(power));
    }
  }

  #exact(): Big {
    let sum = new Big(0);
    for (const [scale, units] of this.#units) sum = sum.plus(new Big(`${units}e${-scale}`));
    return sum;
  }
}
