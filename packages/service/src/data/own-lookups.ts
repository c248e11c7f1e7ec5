import { lookupValues, type OwnLookupValue, resource, resourceNames } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";

/** By resource, the fields whose values each system brings itself, and the lookup of each. */
const openFields = new Map<string, readonly (readonly [field: string, lookup: string])[]>(
  resourceNames.map((name) => [
    name,
    resource(name).fields.flatMap(({ name: field, lookup }) =>
      lookup !== undefined && lookupValues(lookup).length === 0 ? [[field, lookup] as const] : [],
    ),
  ]),
);

/** Collects what records say of the lookups that the dictionary leaves to the systems. */
export class OwnLookups {
  /** By what tells one from another, in an order that sorts. */
  readonly #values = new Map<string, OwnLookupValue>();

  see({ resource: name, datasetId, record }: StoredRecord): void {
    if (datasetId === null) return;
    for (const [field, lookupName] of openFields.get(name) ?? [])
      for (const value of [record[field]].flat())
        if (typeof value === "string")
          this.#values.set(JSON.stringify([datasetId, lookupName, value]), { datasetId, lookupName, value });
  }

  /** Every value of every dataset once, in an order that does not hang on that of the records. */
  *found(): Generator<OwnLookupValue> {
    for (const [, value] of [...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))) yield value;
  }
}
