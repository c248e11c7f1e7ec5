import { type Catalog, type OwnLookupValue, resourceNames } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import { perCatalog } from "../catalog.ts";

/** Fields whose lookup lists no values, so that each system defines its own, with that lookup; by resource. */
const openFieldsOf = perCatalog(
  ({ fieldsOf, lookups }) =>
    new Map<string, readonly (readonly [field: string, lookup: string])[]>(
      resourceNames.map((name) => [
        name,
        fieldsOf(name).flatMap(({ name: field, lookup }) =>
          lookup !== undefined && lookups.values(lookup).length === 0 ? [[field, lookup] as const] : [],
        ),
      ]),
    ),
);

/** Collects the values of lookups for which the dictionary lists none, from the records that use them. */
export class OwnLookups {
  readonly #openFields: ReturnType<typeof openFieldsOf>;
  /** Values by dataset and lookup. */
  readonly #values = new Map<string, Map<string, Set<string>>>();

  constructor(catalog: Catalog) {
    this.#openFields = openFieldsOf(catalog);
  }

  see({ resource: name, datasetId, record }: StoredRecord): void {
    if (datasetId === null) return;
    for (const [field, lookupName] of this.#openFields.get(name) ?? []) {
      const given = record[field];
      if (given === undefined || given === null) continue;
      const values = this.#valuesOf(datasetId, lookupName);
      for (const value of Array.isArray(given) ? given : [given])
        if (typeof value === "string") values.add(value);
    }
  }

  /** Adds values that another one has found. */
  add(found: Iterable<OwnLookupValue>): void {
    for (const { datasetId, lookupName, value } of found) this.#valuesOf(datasetId, lookupName).add(value);
  }

  #valuesOf(datasetId: string, lookupName: string): Set<string> {
    const lookups = this.#values.get(datasetId) ?? new Map<string, Set<string>>();
    this.#values.set(datasetId, lookups);
    const values = lookups.get(lookupName) ?? new Set<string>();
    lookups.set(lookupName, values);
    return values;
  }

  /** Yields each value of each dataset once, sorted, so that the order of the records does not matter. */
  *found(): Generator<OwnLookupValue> {
    const found: (readonly [text: string, value: OwnLookupValue])[] = [];
    for (const [datasetId, lookups] of this.#values)
      for (const [lookupName, values] of lookups)
        for (const value of values)
          found.push([JSON.stringify([datasetId, lookupName, value]), { datasetId, lookupName, value }]);
    for (const [, value] of found.sort(([a], [b]) => (a < b ? -1 : 1))) yield value;
  }
}
