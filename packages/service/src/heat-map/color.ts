// Ends of the color scale, in RGB: no listing has a value, all listings have one.
const [none, all] = [
  [247, 247, 242],
  [12, 74, 110],
] as const;

/** Color of a share that is suppressed because there are too few listings. */
const unknown = "#d6bcbc";

/** Returns the color of a share from 0 to 1, as `#rrggbb`; null: suppressed, too few listings. */
export function colorOf(share: number | null): string {
  if (share === null) return unknown;
  const between = (from: number, to: number) =>
    Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, "0");
  return `#${between(none[0], all[0])}${between(none[1], all[1])}${between(none[2], all[2])}`;
}
