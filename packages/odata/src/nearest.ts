/**
 * Returns the name most similar to `wanted`, for "did you mean" suggestions. Undefined if none is close: about one
 * edit per four letters is allowed, and names over 64 characters get no suggestion.
 */
export function nearest(wanted: string, names: Iterable<string>): string | undefined {
  const target = wanted.toLowerCase();
  let best: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 4)) + 1;
  if (wanted.length > 64) return undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= least) continue;
    const edits = distance(target, name.toLowerCase());
    if (edits < least) [best, least] = [name, edits];
  }
  return best;
}

/**
 * Damerau-Levenshtein distance of two words: the number of letters inserted, deleted or replaced, or of neighbours
 * swapped.
 */
function distance(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, i) => i);
  let [before, row] = [first, first];
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(row, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const edits = Math.min(replaced, at(row, j) + 1, at(next, j - 1) + 1);
      next.push(swapped ? Math.min(edits, at(before, j - 2) + 1) : edits);
    }
    [before, row] = [row, next];
  }
  return at(row, b.length);
}

const at = (row: readonly number[], i: number): number => row[i] ?? 0;
