import Big from "big.js";
import { arithmetic } from "../evaluate/arithmetic.ts";
import { withinDecimal } from "../evaluate/bounds.ts";
import { type EdmNumber, toBig } from "../model/numbers.ts";

/**
 * The sum of numbers, exact and independent of their order: a double counts as the decimal that its shortest text states, and only the
 * result is rounded to a double.
 */
export class ExactSum {
  #count = 0;
  /** Sum of the integers, which add up faster. */
  #whole = 0n;
  #fraction = new Big(0);
  /** Sum of the infinities: NaN if both signs occur. */
  #infinity = 0;

  add(number: EdmNumber): void {
    this.#count += 1;
    if (typeof number === "bigint") this.#whole += number;
    else if (typeof number === "number" && !Number.isFinite(number)) this.#infinity += number;
    else this.#fraction = this.#fraction.plus(toBig(number));
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

  #exact(): Big {
    return this.#whole === 0n ? this.#fraction : this.#fraction.plus(new Big(this.#whole.toString()));
  }
}
