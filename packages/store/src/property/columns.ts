import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import { attributes, type Survivorship } from "./attributes.ts";
import type { PropertyView } from "./view.ts";

const text = (name: string): StructuralProperty => ({
  name,
  type: "Edm.String",
  collection: false,
  nullable: false,
});

/**
 * What a property has as a row of a table, as the scope shows it: the id, the version, and each attribute under its name. A part
 * of an attribute that has parts follows its name: `address_city`.
 *
 * @param visible the listings as the scope shows them
 */
export const propertyColumns = ({ type }: EntitySet): readonly StructuralProperty[] => [
  text("id"),
  text("version"),
  ...Object.entries(attributes).flatMap(([name, survivorship]) =>
    fieldsOf(name, survivorship).flatMap(([column, field]): StructuralProperty[] => {
      const property = type.properties.get(field);
      return property === undefined ? [] : [columnOf(column, property, survivorship)];
    }),
  ),
];

/** By column, the field that it is taken from. */
const fieldsOf = (name: string, { from }: Survivorship): readonly (readonly [string, string])[] =>
  typeof from === "string"
    ? [[name, from]]
    : Object.entries(from).map(([part, field]) => [`${name}_${part}`, field]);

/** Only what an entity model says of values: neither annotations nor what else a field knows. */
function columnOf(
  name: string,
  { type, precision, scale, maxLength }: StructuralProperty,
  { rule }: Survivorship,
): StructuralProperty {
  const facets = {
    ...(precision === undefined ? {} : { precision }),
    ...(scale === undefined ? {} : { scale }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
  return { name, type, ...facets, collection: rule === "all", nullable: rule !== "all" && rule !== "newest" };
}

/** A property as such a row, without what is null. */
export function propertyRow({ id, version, attributes: found }: PropertyView): Row {
  const row: Record<string, unknown> = { id, version };
  for (const [name, value] of Object.entries(found)) {
    const parts = attributes[name]?.rule === "together" ? partsOf(name, value) : [[name, value] as const];
    for (const [column, held] of parts) if (held !== null) row[column] = held;
  }
  return row;
}

const partsOf = (name: string, value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([part, held]: [string, unknown]) => [`${name}_${part}`, held])
    : [];
