import { readData } from "./data.ts";
import { defineField, type Field } from "./field.ts";

/** Version of the RESO Data Dictionary that every standard name, type and lookup here is stated against. */
export const resoDdVersion = "2.0";

/** The resources served, in the order of the service document. */
export const resourceNames = ["Property", "Media", "Member", "Office", "OpenHouse", "Lookup"] as const;

export type ResourceName = (typeof resourceNames)[number];

/** A resource without what the originating systems add to it. */
export type DictionaryResource = { readonly key: string; readonly fields: readonly Field[] };

/** Fields that are never null, beside the key. Source: RESO Data Dictionary 2.0, Lookup resource; our own rule. */
const requiredFields: ReadonlySet<string> = new Set([
  "ModificationTimestamp",
  "OriginatingSystemName",
  "LookupName",
  "LookupValue",
]);

/** The dictionary's fields of `name`, navigation aside. Source: RESO Data Dictionary 2.0. */
export function dictionaryResource(name: ResourceName): DictionaryResource {
  const { key, fields } = readData(`resources/${name}`);
  return {
    key,
    fields: fields.map((facts) =>
      defineField(facts, { source: null, required: facts.name === key || requiredFields.has(facts.name) }),
    ),
  };
}
