/** From 0 to 255 each. */
export type Color = readonly [red: number, green: number, blue: number];

/** From no listing with a value to all of them. */
const [none, all]: readonly [Color, Color] = [
  [247, 247, 242],
  [12, 74, 110],
];

/** Where too few listings are there to tell. */
const unknown: Color = [214, 188, 188];

/** The color of a share, from 0 to 1. */
export function colorOf(share: number | null): Color {
  if (share === null) return unknown;
  const between = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [between(none[0], all[0]), between(none[1], all[1]), between(none[2], all[2])];
}
