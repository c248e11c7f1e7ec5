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

/** What the canonical property calls a field; for one that it does not have, the field's name in snake case. */
export const canonicalField = (field: string): string =>
  ofAttributes.get(field) ??
  field
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
