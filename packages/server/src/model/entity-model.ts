import type { EntityModel, EntitySet, EntityType, StructuralProperty } from "@cadastre/odata";
import type { StructuredProperty } from "@cadastre/odata/run";
import type { EntitySetDeclaration, Navigation } from "./entity-set.ts";
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
    const type = entityType(declaration, types, declarations);
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

function entityType(
  declaration: EntitySetDeclaration,
  types: ReadonlyMap<string, EntityType>,
  declarations: ReadonlyMap<string, EntitySetDeclaration>,
): EntityType {
  const { name, key, navigation } = declaration;
  const properties = [...propertiesOf(declaration)].map(
    ([property, { facts }]): [string, StructuralProperty] => [property, { name: property, ...facts }],
  );
  const structured = Object.entries(navigation).map(([property, link]): [string, StructuredProperty] => {
    const partner = partnerOf(declaration, property, declarations);
    return [
      property,
      {
        name: property,
        collection: link.collection,
        target: () => types.get(link.target) as EntityType,
        ...(link.collection ? {} : { constraints: link.on }),
        ...(partner === undefined ? {} : { partner }),
      },
    ];
  });
  return { name, key: Object.keys(key), properties: new Map(properties), structured: new Map(structured) };
}

/** Returns the navigation properties that lead from the target of one back to its set, by the same pairs of properties. */
function inversesOf(
  set: string,
  { target, on }: Navigation,
  declarations: ReadonlyMap<string, EntitySetDeclaration>,
): readonly string[] {
  const pairs = pairsKey(Object.entries(on).map(([own, other]) => [other, own]));
  return Object.entries(declarations.get(target)?.navigation ?? {})
    .filter(([, back]) => back.target === set && pairsKey(Object.entries(back.on)) === pairs)
    .map(([name]) => name);
}

const pairsKey = (pairs: readonly (readonly [string, string])[]): string =>
  JSON.stringify(pairs.map((pair) => pair.join("=")).toSorted());

/** Returns the navigation property that leads back, if each of the two is the only one that does. */
function partnerOf(
  { name, navigation }: EntitySetDeclaration,
  property: string,
  declarations: ReadonlyMap<string, EntitySetDeclaration>,
): string | undefined {
  const link = navigation[property] as Navigation;
  const [partner, another] = inversesOf(name, link, declarations);
  if (partner === undefined || another !== undefined) return undefined;
  const back = declarations.get(link.target)?.navigation[partner] as Navigation;
  return inversesOf(link.target, back, declarations).length === 1 ? partner : undefined;
}
