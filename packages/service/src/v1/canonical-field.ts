import { attributes, type Survivorship } from "@cadastre/store/property";

/** Returns pairs of the RESO fields that an attribute is computed from, and their names in the canonical property. */
const fieldsOf = (attribute: string, { from }: Survivorship): readonly (readonly [string, string])[] =>
  typeof from === "string"
    ? [[from, attribute]]
    : Object.entries(from).map(([part, field]) => [field, `${attribute}.${part}`]);

/** Names in the canonical property by RESO field. If two attributes use the same field, the first one wins. */
const ofAttributes = new Map(
  Object.entries(attributes)
    .flatMap(([attribute, rule]) => fieldsOf(attribute, rule))
    .toReversed(),
);

const taken = new Set(ofAttributes.values());

/**
 * Returns the name of a RESO field in the canonical property. If it has no such field: the name in snake case, with the prefix `reso_` if
 * an attribute of another field already has that name.
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
