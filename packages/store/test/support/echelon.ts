/*
 * Linear algebra for tests of non-interference: a vector that is a linear combination of published ones can be computed from these.
 */

/** Rows in echelon form, each with the index of its first nonzero number. */
type Basis = { readonly at: number; readonly row: readonly number[] }[];

/** Subtracts multiples of the basis from a vector until no more of it can be expressed. */
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

/** True if a vector is a linear combination of the basis. */
export const isExplained = (vector: readonly number[], basis: Basis): boolean =>
  remainder(vector, basis).every((part) => part === 0);
