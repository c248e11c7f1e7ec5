import type { EntitySet, PrimitiveType, StructuralProperty } from "@cadastre/odata";

type Facets = Omit<Partial<StructuralProperty>, "name" | "type">;

export const property = (
  name: string,
  type: PrimitiveType = "Edm.String",
  facets: Facets = {},
): StructuralProperty => ({ name, type, collection: false, nullable: true, ...facets });

/** Creates an entity set whose key is its first property. */
export const entitySetOf = (name: string, properties: readonly StructuralProperty[]): EntitySet => ({
  name,
  type: {
    name,
    key: properties.slice(0, 1).map((key) => key.name),
    properties: new Map(properties.map((one) => [one.name, one])),
  },
});
