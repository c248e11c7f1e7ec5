/** Returns a row of a Markdown table. */
export const line = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

/** Returns the header of a Markdown table with text in the first column and numbers in the others. */
export const head = (...names: readonly string[]): string =>
  `${line(...names)}\n|---|${"--:|".repeat(names.length - 1)}`;

/** Formats a number with about three significant digits. */
export const number = (value: number): string =>
  value.toFixed(value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);

/**
 * Returns the value that a share of the values is not above.
 *
 * @param sorted values in ascending order
 * @param share from 0 to 1
 */
export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
};
