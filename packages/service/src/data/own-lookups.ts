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
  /** By the JSON of dataset, lookup and value. */
  readonly #values = new Map<string, OwnLookupValue>();

  constructor(catalog: Catalog) {
    this.#openFields = openFieldsOf(catalog);
  }

  see({ resource: name, datasetId, record }: StoredRecord): void {
    if (datasetId === null) return;
    for (const [field, lookupName] of this.#openFields.get(name) ?? [])
      for (const value of [record[field]].flat())
        if (typeof value === "string")
          this.#values.set(JSON.stringify([datasetId, lookupName, value]), { datasetId, lookupName, value });
  }

  /** Yields each value of each dataset once, sorted, so that the order of the records does not matter. */
  *found(): Generator<OwnLookupValue> {
    for (const [, value] of [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))) yield value;
  }
}
