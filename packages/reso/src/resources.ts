import { derivedFields } from "./derived-fields.ts";
import { dictionaryResource, type ResourceName, resourceNames } from "./dictionary.ts";
import { disclosuresOf } from "./disclosures.ts";
import type { Field } from "./field.ts";
import { localFields } from "./local-fields.ts";
import { ownResource, ownResourceNames, type RecordName } from "./own-resources.ts";

export const recordNames: readonly RecordName[] = [...resourceNames, ...ownResourceNames];

export type ResoResource = {
  readonly name: RecordName;
  /** Name of the key field. */
  readonly key: string;
  /** Dictionary fields, derived fields, then local fields by originating system. Each group is sorted by name. */
  readonly fields: readonly Field[];
};

/** Returns the fields beyond the dictionary, which only listings have. */
const beyondDictionary = (name: ResourceName): readonly Field[] =>
  name === "Property" ? [...derivedFields, ...localFields] : [];

/** Returns a resource with the disclosures of its fields. */
const describe = (name: RecordName, key: string, fields: readonly Field[]): [RecordName, ResoResource] => [
  name,
  { name, key, fields: fields.map((field) => ({ ...field, ...disclosuresOf(name, field.name) })) },
];

const resources = new Map<RecordName, ResoResource>([
  ...resourceNames.map((name) => {
    const { key, fields } = dictionaryResource(name);
    return describe(name, key, [...fields, ...beyondDictionary(name)]);
  }),
  ...ownResourceNames.map((name) => {
    const { key, fields } = ownResource(name);
    return describe(name, key, fields);
  }),
]);

export function resource(name: RecordName): ResoResource {
  const found = resources.get(name);
  if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
  return found;
}

/** Returns all selectable fields of a resource, derived and local ones included. */
export function fieldsOf(name: RecordName): readonly Field[] {
  return resource(name).fields;
}
