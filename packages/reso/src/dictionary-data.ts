import { readData } from "./data.ts";
import { defineField, type Field } from "./field.ts";

/** Version of the RESO Data Dictionary that `data/` is from. */
export const packagedVersion = "2.0";

/** The resources served, in the order of the service document. */
export const resourceNames = ["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"] as const;

export type ResourceName = (typeof resourceNames)[number];

/** A resource without the local fields of originating systems. */
export type DictionaryResource = { readonly key: string; readonly fields: readonly Field[] };

/** Fields other than the key that are never null. Source: RESO Data Dictionary 2.0, Lookup resource; otherwise a rule of this service. */
const requiredFields: ReadonlySet<string> = new Set([
  "ModificationTimestamp",
  "OriginatingSystemName",
  "LookupName",
  "LookupValue",
]);

/** Returns the fields of `name` that `data/` has, without navigation properties. Source: RESO Data Dictionary 2.0. */
export function dictionaryResource(name: ResourceName): DictionaryResource {
  const { key, fields } = readData(`resources/${name}`);
  return {
    key,
    fields: fields.map((facts) =>
      defineField(facts, { source: null, required: facts.name === key || requiredFields.has(facts.name) }),
    ),
  };
}
