import type { RestrictedQuery } from "@cadastre/entitlement";
import { type BoundNode, evaluate, matches, type Row } from "@cadastre/odata";
import type { Member } from "../record/members.ts";
import { type Atom, atomRow, placeOf } from "./atom.ts";
import { countMarkets, isWhole, type Seen } from "./count.ts";
import type { Counted, CoverageWithin, Place } from "./coverage.ts";
import { requireCounted, requireCountedPlace } from "./reads.ts";
import type { Unit } from "./unit.ts";

/** The counts of a build. */
export type CountedBuild = {
  readonly counted: Counted;
  readonly members: ReadonlyMap<string, Member>;
  readonly atoms: readonly Atom[];
  /** Returns the atoms divided by the first kinds of place: see `unitsOf`. */
  readonly unitsAt: (places: number) => readonly Unit[];
};

/**
 * See `Coverage.within`. A unit is visible if the query finds its place and all of its atoms. Atoms that are not found therefore
 * cannot change the result, and everybody who sees the same places sees counts of the same units.
 *
 * The way places divide records into units reveals something about the places. So the records of a dataset are divided only by
 * the places that it shows unmasked, from the largest down: with the ZIP code masked, by state and county.
 */
export function coverageWithin(query: RestrictedQuery, build: CountedBuild): CoverageWithin {
  const { counted, members } = build;
  const { filter, select } = query;
  requireCounted(filter, counted);
  const shown = new Map(select.map(({ property, expression }) => [property.name, expression]));
  for (const place of counted.places) requireCountedPlace(shown.get(place.column), place, counted);
  const found = new Set(build.atoms.filter(({ key }) => matches(filter, atomRow(key, counted))));
  const datasets = new Set([...found].map(({ key: [dataset] }) => dataset));
  const shownBy = new Map([...datasets].map((dataset) => [dataset, placesShown(dataset, select, counted)]));
  const units = [...new Set(shownBy.values())].flatMap((places) =>
    build
      .unitsAt(places)
      .filter(
        ({ row, dataset, atoms }) =>
          shownBy.get(dataset) === places && matches(filter, row) && atoms.every((atom) => found.has(atom)),
      ),
  );
  const seen: Seen = { atoms: [...found], units };
  const byPlaces = new Map<string, ReadonlyMap<string, Seen>>();
  return {
    count: (values) => {
      const asked = counted.places.filter(({ column }) => Object.hasOwn(values, column));
      const text = JSON.stringify(asked.map(({ column }) => column));
      const groups = byPlaces.get(text) ?? seenByPlace(seen, asked, shown, counted);
      byPlaces.set(text, groups);
      const there = groups.get(JSON.stringify(asked.map(({ column }) => values[column])));
      return there === undefined ? [] : countMarkets(there, select, members);
    },
  };
}

/** Returns how many kinds of place a dataset shows unmasked, from the largest down. */
function placesShown(dataset: string | null, select: RestrictedQuery["select"], { places }: Counted): number {
  const hidden = places.findIndex(({ column }) => {
    const shown = select.find(({ property }) => property.name === column);
    return shown === undefined || !isWhole(shown.expression, shown.property, dataset);
  });
  return hidden === -1 ? places.length : hidden;
}

/**
 * Groups atoms and units by the values that the query shows for some places. A unit belongs to a group if its own place and all
 * of its atoms do.
 */
function seenByPlace(
  { atoms, units }: Seen,
  places: readonly Place[],
  shown: ReadonlyMap<string, BoundNode>,
  counted: Counted,
): ReadonlyMap<string, Seen> {
  const textOf = (row: Row): string => JSON.stringify(places.map((place) => shownPlace(place, shown, row)));
  const groups = new Map<string, { readonly atoms: Atom[]; readonly units: Unit[] }>();
  const textOfAtom = new Map<Atom, string>();
  for (const atom of atoms) {
    const text = textOf(atomRow(atom.key, counted));
    textOfAtom.set(atom, text);
    const group = groups.get(text);
    if (group === undefined) groups.set(text, { atoms: [atom], units: [] });
    else group.atoms.push(atom);
  }
  for (const unit of units) {
    const text = textOf(unit.row);
    if (unit.atoms.every((atom) => textOfAtom.get(atom) === text)) groups.get(text)?.units.push(unit);
  }
  return groups;
}

/** Returns null if the query shows no value. */
function shownPlace(place: Place, shown: ReadonlyMap<string, BoundNode>, row: Row): string | null {
  const expression = shown.get(place.column);
  const value = expression === undefined ? null : evaluate(expression, row);
  return placeOf(place, typeof value === "string" ? value : null);
}
