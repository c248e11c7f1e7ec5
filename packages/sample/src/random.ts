/** Scramble 32 bits: every input bit moves every output bit. Source: MurmurHash3 finalizer. */
export function mix(n: number): number {
  let h = n | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 32 bits from two numbers, such as a seed and the index of an entity. */
export function combine(a: number, b: number): number {
  return mix(mix(a) + Math.imul(b, 0x9e3779b9));
}

/** 32 bits from a text. Source: FNV-1a, scrambled. */
export function hashText(text: string): number {
  let h = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
  return mix(h);
}

/** A number in [0, 1) from 32 bits. */
export const unit = (bits: number): number => bits / 0x1_0000_0000;

/** Deterministic draws from a 32-bit seed. Source: splitmix32. One object is seeded again for each entity. */
export class Random {
  #state = 0;

  constructor(seed = 0) {
    this.#state = seed | 0;
  }

  seed(seed: number): this {
    this.#state = seed | 0;
    return this;
  }

  /** 32 bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state);
  }

  /** A number in [0, 1). */
  unit(): number {
    return unit(this.bits());
  }

  /** An integer between `low` and `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.unit() * items.length)] as Item;
  }

  /** An item, the earlier ones more often. */
  pickEarly<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.unit() * this.unit() * items.length)] as Item;
  }

  /** An item, as often as its `weight` says. */
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

  /** Roughly normal: mean 0, standard deviation 1, never beyond 3.5. */
  normal(): number {
    return (this.unit() + this.unit() + this.unit() + this.unit() - 2) * 1.732;
  }
}
