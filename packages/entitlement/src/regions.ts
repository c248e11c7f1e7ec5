import type { BoundNode, StructuralProperty } from "@cadastre/odata";
import { allOf, anyOf, constant } from "@cadastre/odata/tree";
import type { Region, RegionKind } from "./document.ts";
import { groupBy } from "./group.ts";
import { isOneOf, startsWithDigits } from "./predicate.ts";
import type { RegionProperties } from "./resources/index.ts";

/** Returns the property with this name; undefined if the entity set has none. */
export type FindProperty = (name: string) => StructuralProperty | undefined;

/**
 * Returns the predicate that a row is in one of `regions`. Values are compared exactly, with case. A row whose property is null, or
 * whose entity set lacks the property, is in no region but the national one.
 */
export function inRegions(
  regions: readonly Region[],
  names: RegionProperties,
  find: FindProperty,
): BoundNode {
  const valuesOf = (kind: RegionKind) => [
    ...new Set(regions.filter((region) => region.kind === kind).map(({ value }) => value)),
  ];
  const where = (name: string, predicate: (property: StructuralProperty) => BoundNode): BoundNode => {
    const property = find(name);
    return property === undefined ? constant(false) : predicate(property);
  };

  if (valuesOf("national").length > 0) return constant(true);
  return anyOf(
    where(names.state, (state) => isOneOf(state, valuesOf("state"))),
    ...[...groupBy(valuesOf("county"), stateOf)].map(([state, counties]) =>
      where(names.state, (stateProperty) =>
        where(names.county, (county) =>
          allOf(isOneOf(stateProperty, [state]), isOneOf(county, counties.map(countyOf))),
        ),
      ),
    ),
    where(names.zip, (zip) => anyOf(...valuesOf("zip").map((value) => startsWithDigits(zip, value)))),
    where(names.originating_system, (system) => isOneOf(system, valuesOf("originating_system"))),
  );
}

const stateOf = (county: string) => county.slice(0, county.indexOf("/"));
const countyOf = (county: string) => county.slice(county.indexOf("/") + 1);
