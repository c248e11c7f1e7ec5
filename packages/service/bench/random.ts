/** Seeded pseudo-random number generator. */
export type Random = {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly unit: () => number;
  /** Returns a whole number. Both bounds are inclusive. */
  readonly whole: (least: number, greatest: number) => number;
  readonly pick: <T>(items: readonly [T, ...T[]] | readonly T[]) => T;
  readonly chance: (probability: number) => boolean;
};

/** Source: mulberry32, T. Ettinger, public domain. */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    unit,
    whole: (least, greatest) => least + Math.floor(unit() * (greatest - least + 1)),
    pick: (items) => {
      const item = items[Math.floor(unit() * items.length)];
      if (item === undefined) throw new RangeError("nothing to pick from");
      return item;
    },
    chance: (probability) => unit() < probability,
  };
}
