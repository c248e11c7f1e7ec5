import type { Row } from "@cadastre/odata";
import { type Atom, type AtomKey, atomRow } from "./atom.ts";
import type { Counted } from "./coverage.ts";

/**
 * Atoms of one dataset, source and system that are counted together or not at all. The atoms of the smallest place form a unit if
 * they have enough records; those left over are combined by the next larger place that contains them.
 */
export type Unit = {
  readonly dataset: string | null;
  /** A row that represents the place of the unit: the columns of smaller places are null. */
  readonly row: Row;
  readonly atoms: readonly Atom[];
};

/**
 * Divides atoms into units by the first `places` kinds of place, from the largest down.
 *
 * @param least smallest number of records in a unit. Atoms of a system that together have fewer are in no unit.
 */
export function unitsOf(
  atoms: readonly Atom[],
  counted: Counted,
  least: number,
  places: number,
): readonly Unit[] {
  const units: Unit[] = [];
  let small = atoms;
  for (let depth = places; depth >= 0; depth--) {
    const rest: Atom[] = [];
    for (const group of groupsOf(small, depth)) {
      const records = group.reduce((sum, atom) => sum + atom.records, 0);
      const [first] = group;
      if (first === undefined || records < least) rest.push(...group);
      else units.push({ dataset: first.key[0], row: atomRow(keyOf(first, depth), counted), atoms: group });
    }
    small = rest;
  }
  return units;
}

/** Groups atoms by their first `depth` places. */
function groupsOf(atoms: readonly Atom[], depth: number): Iterable<readonly Atom[]> {
  const groups = new Map<string, Atom[]>();
  for (const atom of atoms) {
    const text = JSON.stringify(keyOf(atom, depth));
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [atom]);
    else group.push(atom);
  }
  return groups.values();
}

/** Returns the key of an atom without the places below `depth`. */
function keyOf({ key }: Atom, depth: number): AtomKey {
  const [datasetId, source, system, ...places] = key;
  return [datasetId, source, system, ...places.slice(0, depth)];
}
