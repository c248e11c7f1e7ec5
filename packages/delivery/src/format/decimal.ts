/**
 * True if a decimal type of this precision and scale holds the number without rounding.
 *
 * @param text a JSON number
 */
export function isWithin(text: string, precision: number, scale: number): boolean {
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
