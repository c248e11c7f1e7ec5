/** An exact decimal number: -12.5 is `{ negative: true, digits: "125", power: -1 }`. Zero has no digits. */
export type Decimal = {
  readonly negative: boolean;
  /** Without leading and trailing zeros. */
  readonly digits: string;
  /** Power of ten that the digits are multiplied by. */
  readonly power: number;
};

const pattern = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Parses a number as JSON or JavaScript writes it. Undefined if the text is not a number. */
export function parseDecimal(text: string): Decimal | undefined {
  const [, sign, whole, fraction = "", exponent = "0"] = pattern.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = withoutTrailingZeros(all);
  const power = digits === "" ? 0 : Number(exponent) - fraction.length + all.length - digits.length;
  return { negative: sign === "-", digits, power };
}

// A regular expression such as /0+$/ takes quadratic time on long runs of zeros.
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  return digits.slice(0, end);
}

/** Digits right of the decimal point. */
export const scaleOf = ({ power }: Decimal): number => Math.max(0, -power);

/** Digits left of the decimal point. */
export const wholeDigitsOf = ({ digits, power }: Decimal): number => Math.max(0, digits.length + power);

/** Rounds to `scale` digits right of the point, half away from zero: 0.125 is 0.13, and -0.125 is -0.13. */
export function roundDecimal(value: Decimal, scale: number): Decimal {
  const { negative, digits, power } = value;
  if (-power <= scale) return value;
  const kept = digits.length + power + scale;
  if (kept < 0) return { negative, digits: "", power: 0 };
  const magnitude = BigInt(`0${digits.slice(0, kept)}`) + (digits.charAt(kept) >= "5" ? 1n : 0n);
  return { ...(parseDecimal(`${magnitude}e-${scale}`) as Decimal), negative };
}

export const isSameDecimal = (a: Decimal, b: Decimal): boolean =>
  a.digits === b.digits && (a.digits === "" || (a.power === b.power && a.negative === b.negative));

/** Returns the nearest double. A decimal of at most 15 digits is printed unchanged again. Zero loses its sign. */
export const toDouble = ({ negative, digits, power }: Decimal): number =>
  digits === "" ? 0 : Number(`${negative ? "-" : ""}${digits}e${power}`);
