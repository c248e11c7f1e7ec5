import { readData } from "./data.ts";
import type { DictionaryResource, ResourceName } from "./dictionary-data.ts";
import { defineField } from "./field.ts";

/**
 * Resources that the RESO Data Dictionary does not have. They are not entity sets of the OData service; only exports
 * contain them.
 */
export const ownResourceNames = ["MediaAsset", "PublicRecord"] as const;

export type OwnResourceName = (typeof ownResourceNames)[number];

export const isOwnResource = (name: string): name is OwnResourceName =>
  ownResourceNames.some((own) => own === name);

/** Returns the fields of a resource that the dictionary does not have. */
export function ownResource(name: OwnResourceName): DictionaryResource {
  const { key, fields } = readData(`own/${name}`);
  return {
    key,
    fields: fields.map(({ required = false, ...facts }) => defineField(facts, { source: null, required })),
  };
}

/** Names of all resources that the service stores: those of the dictionary, and its own. */
export type RecordName = ResourceName | OwnResourceName;
