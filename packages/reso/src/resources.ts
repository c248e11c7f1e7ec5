import { derivedFields } from "./derived-fields.ts";
import { dictionaryResource, type ResourceName, resourceNames } from "./dictionary.ts";
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

const resources = new Map<RecordName, Resource>([
  ...resourceNames.map((name): [RecordName, Resource] => {
    const { key, fields } = dictionaryResource(name);
    return [name, { name, key, fields: [...fields, ...beyondDictionary(name)] }];
  }),
  ...ownResourceNames.map((name): [RecordName, Resource] => [name, { name, ...ownResource(name) }]),
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
