const pattern = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?e(?<exponent>[+-]?\d+)$/i;

/**
 * Removes the exponent of a number, `1.5e-7` → `0.00000015`, by moving digits, so that nothing is rounded to a
 * double. Returns other text unchanged.
 */
export function withoutExponent(text: string): string {
  const { sign = "", whole = "", fraction = "", exponent } = pattern.exec(text)?.groups ?? {};
  if (exponent === undefined) return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, "0");
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), "0");
  const end = Math.max(1, point);
  return sign + padded.slice(0, end) + (end < padded.length ? `.${padded.slice(end)}` : "");
}
