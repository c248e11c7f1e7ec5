/** RGB color with components from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number];

// Ends of the color scale: no listing has a value, all listings have one.
const [none, all]: readonly [Color, Color] = [
  [247, 247, 242],
  [12, 74, 110],
];

/** Color of a share that is suppressed because there are too few listings. */
const unknown: Color = [214, 188, 188];

/** Returns the color of a share from 0 to 1. */
export function colorOf(share: number | null): Color {
  if (share === null) return unknown;
  const between = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [between(none[0], all[0]), between(none[1], all[1]), between(none[2], all[2])];
}
