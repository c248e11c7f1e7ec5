import { derivedFields } from "./derived-fields.ts";
import { dictionaryResource, type ResourceName, resourceNames } from "./dictionary.ts";
import { disclosuresOf } from "./disclosures.ts";
import type { Field } from "./field.ts";
import { localFields } from "./local-fields.ts";
import { type OwnResourceName, ownResource, ownResourceNames } from "./own-resources.ts";

/** Every resource that the service keeps: those of the dictionary, and our own. */
export type RecordName = ResourceName | OwnResourceName;

export const recordNames: readonly RecordName[] = [...resourceNames, ...ownResourceNames];

/** A resource as the service offers it. */
export type Resource = {
  readonly name: RecordName;
  /** Name of the one key field. */
  readonly key: string;
  /** Dictionary fields, derived fields, local fields by originating system; each group by name. */
  readonly fields: readonly Field[];
};

/** Only listings have fields beyond the dictionary. */
const beyondDictionary = (name: ResourceName): readonly Field[] =>
  name === "Property" ? [...derivedFields, ...localFields] : [];

/** Returns a resource with the disclosures of its fields. */
const describe = (name: RecordName, key: string, fields: readonly Field[]): [RecordName, Resource] => [
  name,
  { name, key, fields: fields.map((field) => ({ ...field, ...disclosuresOf(name, field.name) })) },
];

const resources = new Map<RecordName, Resource>([
  ...resourceNames.map((name) => {
    const { key, fields } = dictionaryResource(name);
    return describe(name, key, [...fields, ...beyondDictionary(name)]);
  }),
  ...ownResourceNames.map((name) => {
    const { key, fields } = ownResource(name);
    return describe(name, key, fields);
  }),
]);

/** The resource called `name`. */
export function resource(name: RecordName): Resource {
  const found = resources.get(name);
  if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
  return found;
}

/** Every selectable field of a resource, derived and local ones too. */
export function fieldsOf(name: RecordName): readonly Field[] {
  return resource(name).fields;
}
