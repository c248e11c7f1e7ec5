import type { RestrictedQuery } from "@cadastre/entitlement";
import { type BoundNode, evaluate, matches, type Row } from "@cadastre/odata";
import type { Member } from "../record/members.ts";
import { type Atom, atomRow, placeOf } from "./atom.ts";
import { countMarkets, isWhole, type Seen } from "./count.ts";
import type { Counted, CoverageWithin, Place } from "./coverage.ts";
import { requireCounted, requireCountedPlace } from "./reads.ts";
import type { Unit } from "./unit.ts";

/** What a build's coverage is counted from. */
export type CountedBuild = {
  readonly counted: Counted;
  readonly members: ReadonlyMap<string, Member>;
  readonly atoms: readonly Atom[];
  readonly units: readonly Unit[];
};

/**
 * See `Coverage.within`. A unit is seen where its place is found, whatever lies in it, and all of its atoms: so what is not
 * found changes nothing, and what is counted is made of the same units for everyone. How places divide records into units tells
 * of the places: of a dataset that does not show all of them no unit is seen.
 */
export function coverageWithin(query: RestrictedQuery, build: CountedBuild): CoverageWithin {
  const { counted, members } = build;
  const { filter, select } = query;
  requireCounted(filter, counted);
  const shown = new Map(select.map(({ property, expression }) => [property.name, expression]));
  for (const place of counted.places) requireCountedPlace(shown.get(place.column), place, counted);
  const found = new Set(build.atoms.filter(({ key }) => matches(filter, atomRow(key, counted))));
  const columns = new Set(counted.places.map(({ column }) => column));
  const places = select.filter(({ property }) => columns.has(property.name));
  const showsPlaces = (dataset: string | null): boolean =>
    places.length === columns.size &&
    places.every(({ property, expression }) => isWhole(expression, property, dataset));
  const showing = new Set([...new Set(build.units.map(({ dataset }) => dataset))].filter(showsPlaces));
  const seen: Seen = {
    atoms: [...found],
    units: build.units.filter(
      ({ row, dataset, atoms }) =>
        showing.has(dataset) && matches(filter, row) && atoms.every((atom) => found.has(atom)),
    ),
  };
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

/** What is seen, by what is shown of these places. A unit is in one if its own place is, and all of its atoms are. */
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

/** Null where nothing is shown. */
function shownPlace(place: Place, shown: ReadonlyMap<string, BoundNode>, row: Row): string | null {
  const expression = shown.get(place.column);
  const value = expression === undefined ? null : evaluate(expression, row);
  return placeOf(place, typeof value === "string" ? value : null);
}
