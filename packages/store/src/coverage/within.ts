import type { RestrictedQuery } from "@cadastre/entitlement";
import { type BoundNode, evaluate, matches, type Row } from "@cadastre/odata";
import type { Member } from "../record/members.ts";
import type { Counted, LocationColumn } from "../stored-resource.ts";
import { countMarkets, showsUnmasked, type VisibleCounts } from "./count.ts";
import type { CoverageWithin } from "./coverage.ts";
import { type CoverageGroup, groupedValue, groupRow } from "./group.ts";
import { requireCounted, requireCountedPlace } from "./reads.ts";
import type { CountingUnit } from "./unit.ts";

/** The counts of a build. */
export type CountedBuild = {
  readonly counted: Counted;
  readonly members: ReadonlyMap<string, Member>;
  readonly groups: readonly CoverageGroup[];
  /** Returns the groups divided by the first kinds of place: see `unitsOf`. */
  readonly unitsAt: (places: number) => readonly CountingUnit[];
};

/**
 * See `Coverage.within`. A unit is visible if the query finds its place and all of its groups. Groups that are not found therefore
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
  const found = new Set(build.groups.filter(({ key }) => matches(filter, groupRow(key, counted))));
  const datasets = new Set([...found].map(({ key: [dataset] }) => dataset));
  const shownBy = new Map([...datasets].map((dataset) => [dataset, placesShown(dataset, select, counted)]));
  const units = [...new Set(shownBy.values())].flatMap((places) =>
    build
      .unitsAt(places)
      .filter(
        ({ row, dataset, groups }) =>
          shownBy.get(dataset) === places &&
          matches(filter, row) &&
          groups.every((group) => found.has(group)),
      ),
  );
  const seen: VisibleCounts = { groups: [...found], units };
  const byPlaces = new Map<string, ReadonlyMap<string, VisibleCounts>>();
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
    return shown === undefined || !showsUnmasked(shown.expression, shown.property, dataset);
  });
  return hidden === -1 ? places.length : hidden;
}

/**
 * Sorts groups and units by the values that the query shows for some places. A unit belongs to a place if its own place and
 * all of its groups do.
 */
function seenByPlace(
  { groups, units }: VisibleCounts,
  places: readonly LocationColumn[],
  shown: ReadonlyMap<string, BoundNode>,
  counted: Counted,
): ReadonlyMap<string, VisibleCounts> {
  const textOf = (row: Row): string => JSON.stringify(places.map((place) => shownPlace(place, shown, row)));
  const byPlace = new Map<string, { readonly groups: CoverageGroup[]; readonly units: CountingUnit[] }>();
  const placeTexts = new Map<CoverageGroup, string>();
  for (const group of groups) {
    const text = textOf(groupRow(group.key, counted));
    placeTexts.set(group, text);
    const visible = byPlace.get(text);
    if (visible === undefined) byPlace.set(text, { groups: [group], units: [] });
    else visible.groups.push(group);
  }
  for (const unit of units) {
    const text = textOf(unit.row);
    if (unit.groups.every((group) => placeTexts.get(group) === text)) byPlace.get(text)?.units.push(unit);
  }
  return byPlace;
}

/** Returns null if the query shows no value. */
function shownPlace(place: LocationColumn, shown: ReadonlyMap<string, BoundNode>, row: Row): string | null {
  const expression = shown.get(place.column);
  const value = expression === undefined ? null : evaluate(expression, row);
  return groupedValue(place, typeof value === "string" ? value : null);
}
