import { foldCase } from "./case-mapping.ts";

const base = 36 ** 2;

/** The numbers below {@link base}, in two characters. */
const twoDigits = Array.from({ length: base }, (_, i) => i.toString(36).padStart(2, "0"));

/**
 * Returns the hashes of all runs of three UTF-16 code units in the case-folded text, each once. If a text contains another one, whatever
 * the letter case, it has all grams of it. Different runs may have equal hashes.
 */
export function gramsOf(text: string): readonly string[] {
  const folded = foldCase(text);
  const found = new Set<number>();
  for (let i = 2; i < folded.length; i += 1) {
    const first = Math.imul(folded.charCodeAt(i - 2), 0x9e3779b1);
    const second = Math.imul(first ^ folded.charCodeAt(i - 1), 0x85ebca6b);
    const third = Math.imul(second ^ (second >>> 13) ^ folded.charCodeAt(i), 0xc2b2ae35);
    found.add(((third ^ (third >>> 16)) >>> 0) % (base * base));
  }
  return Array.from(found, (hash) => `${twoDigits[Math.trunc(hash / base)]}${twoDigits[hash % base]}`);
}
