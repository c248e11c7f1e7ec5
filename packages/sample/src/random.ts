/** Mixes 32 bits, so that every input bit affects every output bit. Source: MurmurHash3 finalizer. */
export function mix(n: number): number {
  let h = n | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Hashes two numbers, such as a seed and the index of an entity, to 32 bits. */
export function combine(a: number, b: number): number {
  return mix(mix(a) + Math.imul(b, 0x9e3779b9));
}

/** Hashes a text to 32 bits. Source: FNV-1a, then mixed. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
  return mix(h);
}

/** Converts 32 bits to a number in [0, 1). */
export const unit = (bits: number): number => bits / 0x1_0000_0000;

/** Deterministic pseudorandom number generator with a 32-bit seed. Source: splitmix32. One object is reseeded for each entity. */
export class Random {
  #state = 0;

  constructor(seed = 0) {
    this.#state = seed | 0;
  }

  seed(seed: number): this {
    this.#state = seed | 0;
    return this;
  }

  /** Draws 32 bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state);
  }

  /** Draws a number in [0, 1). */
  unit(): number {
    return unit(this.bits());
  }

  /** Draws an integer between `low` and `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.unit() * items.length)] as Item;
  }

  /** Draws an item. Earlier items are more frequent. */
  pickEarly<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.unit() * this.unit() * items.length)] as Item;
  }

  /** Draws an item with a probability proportional to its `weight`. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let total = 0;
    for (const item of items) total += item.weight;
    let left = this.unit() * total;
    for (const item of items) {
      left -= item.weight;
      if (left < 0) return item;
    }
    return items[items.length - 1] as Item;
  }

  /** Draws a roughly normal number: mean 0, standard deviation 1, within ±3.5. */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.732;
  }
}
