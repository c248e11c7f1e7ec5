import type { EntityModel, EntitySet, EntityType, StructuralProperty } from "@cadastre/odata";
import type { StructuredProperty } from "@cadastre/odata/run";
import type { EntitySetDeclaration } from "./entity-set.ts";
import type { PropertyDeclaration } from "./property.ts";

/** All properties of a declaration, those of the key first. */
export const propertiesOf = ({
  key,
  properties,
}: EntitySetDeclaration): ReadonlyMap<string, PropertyDeclaration> =>
  new Map([...Object.entries(key), ...Object.entries(properties)]);

/** A model with the declarations that it was made of. */
export type DeclaredModel = {
  readonly model: EntityModel;
  /** Declarations by the name of the set. */
  readonly declarations: ReadonlyMap<string, EntitySetDeclaration>;
};

/**
 * Makes declarations into an entity model.
 *
 * @throws {TypeError} if two sets have the same name, or a navigation leads to a set or property that is not declared
 */
export function declareModel(
  namespace: string,
  container: string,
  entitySets: readonly EntitySetDeclaration[],
): DeclaredModel {
  const declarations = new Map(entitySets.map((one) => [one.name, one]));
  if (declarations.size < entitySets.length) {
    const twice = entitySets.find((one) => declarations.get(one.name) !== one);
    throw new TypeError(`entity set \`${twice?.name}\` is declared twice`);
  }
  const types = new Map<string, EntityType>();
  const sets: EntitySet[] = entitySets.map((declaration) => {
    requireTargets(declaration, declarations);
    const type = entityType(declaration, types);
    types.set(declaration.name, type);
    return { name: declaration.name, type };
  });
  return { model: { namespace, container, entitySets: sets }, declarations };
}

function requireTargets(
  { name, navigation }: EntitySetDeclaration,
  declarations: ReadonlyMap<string, EntitySetDeclaration>,
): void {
  for (const [property, { target, on }] of Object.entries(navigation)) {
    const other = declarations.get(target);
    if (other === undefined)
      throw new TypeError(`\`${name}/${property}\` leads to \`${target}\`, which is no declared entity set`);
    const missing = Object.values(on).find((one) => !propertiesOf(other).has(one));
    if (missing !== undefined)
      throw new TypeError(`\`${name}/${property}\` links to \`${target}/${missing}\`, which is not declared`);
  }
}

function entityType(declaration: EntitySetDeclaration, types: ReadonlyMap<string, EntityType>): EntityType {
  const { name, key, navigation } = declaration;
  const properties = [...propertiesOf(declaration)].map(
    ([property, { facts }]): [string, StructuralProperty] => [property, { name: property, ...facts }],
  );
  const structured = Object.entries(navigation).map(
    ([property, { target, collection }]): [string, StructuredProperty] => [
      property,
      { name: property, collection, target: () => types.get(target) as EntityType },
    ],
  );
  return { name, key: Object.keys(key), properties: new Map(properties), structured: new Map(structured) };
}
