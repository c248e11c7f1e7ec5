/*
 * Which vectors are sums and differences of others, times anything: what those tell who know these.
 */

/** Rows in echelon form, each with the position of its first number. */
type Basis = { readonly at: number; readonly row: readonly number[] }[];

/** What is left of a vector when the basis has explained what it can. */
function remainder(vector: readonly number[], basis: Basis): readonly number[] {
  let rest = vector;
  for (const { at, row } of basis) {
    const times = (rest[at] ?? 0) / (row[at] ?? 1);
    if (times !== 0) rest = rest.map((part, i) => part - times * (row[i] ?? 0));
  }
  return rest.map((part) => (Math.abs(part) < 1e-9 ? 0 : part));
}

export function basisOf(vectors: Iterable<readonly number[]>): Basis {
  const basis: Basis = [];
  for (const vector of vectors) {
    const row = remainder(vector, basis);
    const at = row.findIndex((part) => part !== 0);
    if (at !== -1) basis.push({ at, row });
  }
  return basis;
}

/** Whether a vector is a sum of multiples of those of a basis. */
export const isExplained = (vector: readonly number[], basis: Basis): boolean =>
  remainder(vector, basis).every((part) => part === 0);
