import type { Catalog, Field } from "@cadastre/reso";
import { perCatalog } from "../catalog.ts";
import type { Source } from "./sources.ts";

/** Tells if a lookup field may have a value: its lookup lists it, for all systems or for the source, or lists none. */
export type ListedValues = (value: string, field: Pick<Field, "lookup" | "lookupStatus">) => boolean;

const known = perCatalog((_catalog) => new Map<string, ListedValues>());

/** Returns the test of the values that a source may give. */
export function listedValuesOf(catalog: Catalog, { name }: Pick<Source, "name">): ListedValues {
  const bySource = known(catalog);
  const listed = bySource.get(name) ?? createListedValues(catalog, name);
  bySource.set(name, listed);
  return listed;
}

function createListedValues({ lookups }: Catalog, source: string): ListedValues {
  const byLookup = new Map<string, ReadonlySet<string>>();
  const valuesOf = (lookup: string): ReadonlySet<string> => {
    const values =
      byLookup.get(lookup) ??
      new Set([...lookups.values(lookup), ...lookups.ownValues(source, lookup)].map(({ value }) => value));
    byLookup.set(lookup, values);
    return values;
  };
  return (value, { lookup, lookupStatus }) => {
    if (lookup === undefined || lookupStatus === "Open") return true;
    const values = valuesOf(lookup);
    return values.size === 0 || values.has(value);
  };
}
