import { attributes, type Survivorship } from "@cadastre/store/property";

/** Fields of an attribute, by the name that the canonical property has for each. */
const fieldsOf = (attribute: string, { from }: Survivorship): readonly (readonly [string, string])[] =>
  typeof from === "string"
    ? [[from, attribute]]
    : Object.entries(from).map(([part, field]) => [field, `${attribute}.${part}`]);

/** By RESO field. Of two attributes of one field the first counts. */
const ofAttributes = new Map(
  Object.entries(attributes)
    .flatMap(([attribute, rule]) => fieldsOf(attribute, rule))
    .toReversed(),
);

const taken = new Set(ofAttributes.values());

/**
 * What the canonical property calls a field; for one that it does not have, the field's name in snake case, after `reso_`
 * where an attribute of another field is called so.
 */
export function canonicalField(field: string): string {
  const known = ofAttributes.get(field);
  if (known !== undefined) return known;
  const name = field
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
  return taken.has(name) ? `reso_${name}` : name;
}
