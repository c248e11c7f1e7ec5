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
 * Columns of a table of properties, as the scope shows them: the id, the version, and one for each attribute. An attribute with
 * parts has a column for each part, such as `address_city`.
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

/** Returns pairs of a column and the field that its value is taken from. */
const fieldsOf = (name: string, { from }: Survivorship): readonly (readonly [string, string])[] =>
  typeof from === "string"
    ? [[name, from]]
    : Object.entries(from).map(([part, field]) => [`${name}_${part}`, field]);

/** Returns a column with only the type and facets of the field, without annotations. */
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

/** Returns a property as a row of such a table, without nulls. */
export function propertyRow({ id, version, attributes: values }: PropertyView): Row {
  const row: Record<string, unknown> = { id, version };
  for (const [name, value] of Object.entries(values)) {
    const parts = attributes[name]?.rule === "together" ? partsOf(name, value) : [[name, value] as const];
    for (const [column, held] of parts) if (held !== null) row[column] = held;
  }
  return row;
}

const partsOf = (name: string, value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).map(([part, held]: [string, unknown]) => [`${name}_${part}`, held])
    : [];
