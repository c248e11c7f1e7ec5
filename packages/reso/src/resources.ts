import { derivedFields } from "./derived-fields.ts";
import { dictionaryResource, type ResourceName, resourceNames } from "./dictionary.ts";
import type { Field } from "./field.ts";
import { localFields } from "./local-fields.ts";

/** A RESO resource as the service offers it. */
export type Resource = {
  readonly name: ResourceName;
  /** Name of the one key field. */
  readonly key: string;
  /** Dictionary fields, derived fields, local fields by originating system; each group by name. */
  readonly fields: readonly Field[];
};

/** Only listings have fields beyond the dictionary. */
const beyondDictionary = (name: ResourceName): readonly Field[] =>
  name === "Property" ? [...derivedFields, ...localFields] : [];

const resources = new Map(
  resourceNames.map((name): [ResourceName, Resource] => {
    const { key, fields } = dictionaryResource(name);
    return [name, { name, key, fields: [...fields, ...beyondDictionary(name)] }];
  }),
);

/** The resource called `name`. */
export function resource(name: ResourceName): Resource {
  const found = resources.get(name);
  if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
  return found;
}

/** Every selectable field of a resource, derived and local ones too. */
export function fieldsOf(name: ResourceName): readonly Field[] {
  return resource(name).fields;
}
