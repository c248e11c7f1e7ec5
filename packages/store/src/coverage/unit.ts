import type { Row } from "@cadastre/odata";
import { type Atom, atomRow, placeColumns } from "./atom.ts";
import type { Counted, Place } from "./coverage.ts";

/**
 * Atoms of one dataset, source and system that are counted together or not at all. An atom that is large enough is one;
 * small ones are put together over the smallest place in which they are enough.
 */
export type Unit = {
  /** Stands for the place: the places within it are null. */
  readonly row: Row;
  readonly atoms: readonly Atom[];
};

/** @param least records of a unit. What is left over in the whole of a system and is fewer is in none. */
export function unitsOf(atoms: readonly Atom[], counted: Counted, least: number): readonly Unit[] {
  const units: Unit[] = [];
  let small = atoms;
  for (let depth = counted.places.length; depth >= 0; depth--) {
    const rest: Atom[] = [];
    for (const group of groupsOf(small, counted, depth)) {
      const records = group.reduce((sum, atom) => sum + atom.records, 0);
      const [first] = group;
      if (first === undefined || records < least) rest.push(...group);
      else units.push({ row: rowOf(first, counted, depth), atoms: group });
    }
    small = rest;
  }
  return units;
}

/** The atoms by their place of so many levels. */
function groupsOf(atoms: readonly Atom[], counted: Counted, depth: number): Iterable<readonly Atom[]> {
  const groups = new Map<string, Atom[]>();
  for (const atom of atoms) {
    const [datasetId, source, system] = atom.key;
    const text = JSON.stringify([datasetId, source, system, ...placesOf(atom, counted, depth)]);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, [atom]);
    else group.push(atom);
  }
  return groups.values();
}

function placesOf(
  { key: [, , , ...values] }: Atom,
  counted: Counted,
  depth: number,
): readonly (string | null)[] {
  const columns = placeColumns(counted);
  const told = ({ column, characters }: Place) => {
    const value = values[columns.indexOf(column)] ?? null;
    return value === null || characters === undefined ? value : value.slice(0, characters);
  };
  return counted.places.slice(0, depth).map(told);
}

function rowOf(atom: Atom, counted: Counted, depth: number): Row {
  const places = placesOf(atom, counted, depth);
  const row: Record<string, unknown> = { ...atomRow(atom.key, counted) };
  for (const column of placeColumns(counted)) row[column] = null;
  for (const [i, { column }] of counted.places.slice(0, depth).entries()) row[column] = places[i];
  return row;
}
