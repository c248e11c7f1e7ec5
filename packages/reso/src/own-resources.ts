import { readData } from "./data.ts";
import type { DictionaryResource } from "./dictionary.ts";
import { defineField } from "./field.ts";

/**
 * Resources of our own, which the RESO Data Dictionary does not have. They are no entity sets of the OData service: exports
 * alone hold them.
 */
export const ownResourceNames = ["MediaAsset", "PublicRecord"] as const;

export type OwnResourceName = (typeof ownResourceNames)[number];

export const isOwnResource = (name: string): name is OwnResourceName =>
  ownResourceNames.some((own) => own === name);

/** The fields of a resource of our own. */
export function ownResource(name: OwnResourceName): DictionaryResource {
  const { key, fields } = readData(`own/${name}`);
  return {
    key,
    fields: fields.map(({ required = false, ...facts }) => defineField(facts, { source: null, required })),
  };
}
