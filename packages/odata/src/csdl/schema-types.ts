import {
  type EntityModel,
  type EntityType,
  type EnumType,
  isEntityType,
  type StructuredProperty,
  type StructuredType,
} from "../model/types.ts";

/** The types that a model uses. */
export type SchemaTypes = {
  /** Entity types and complex types, those of the entity sets first. */
  readonly structured: readonly StructuredType[];
  /** Enumerations by namespace. */
  readonly enums: ReadonlyMap<string, readonly EnumType[]>;
};

/** Structured properties of a type: complex values, then navigation properties. */
export function structuredOf({ structured }: StructuredType): readonly StructuredProperty[] {
  const all = [...(structured?.values() ?? [])];
  const isNavigation = ({ target }: StructuredProperty) => isEntityType(target());
  return [...all.filter((one) => !isNavigation(one)), ...all.filter(isNavigation)];
}

/** Splits a qualified name at its last dot. */
export const splitName = (qualified: string): readonly [namespace: string, name: string] => {
  const dot = qualified.lastIndexOf(".");
  return [qualified.slice(0, Math.max(dot, 0)), qualified.slice(dot + 1)];
};

/** Returns the types that can be reached from the entity sets of a model. */
export function schemaTypesOf({ entitySets }: EntityModel): SchemaTypes {
  const structured = new Set<StructuredType>(entitySets.map(({ type }) => type));
  // A set is iterated to its end, with what is added meanwhile.
  for (const type of structured) for (const { target } of structuredOf(type)) structured.add(target());
  const byName = new Map<string, EnumType>();
  for (const { properties } of structured)
    for (const { enumType } of properties.values())
      if (enumType !== undefined) byName.set(enumType.name, enumType);
  const enums = new Map<string, EnumType[]>();
  for (const one of byName.values()) {
    const [namespace] = splitName(one.name);
    const others = enums.get(namespace) ?? [];
    enums.set(namespace, others);
    others.push(one);
  }
  return { structured: [...structured], enums };
}

/** Returns the underlying numbers of the members of an enumeration. Source: OData CSDL 4.01, section 10.3. */
export const numberedMembers = ({
  members,
  values,
  isFlags,
}: EnumType): readonly (readonly [string, string])[] =>
  members.map((member, i) => [member, String(values?.[i] ?? (isFlags ? 2 ** i : i))]);

/** Returns the entity sets that the navigation properties of a type lead to, by property. */
export function bindingsOf(
  type: EntityType,
  { entitySets }: EntityModel,
): readonly (readonly [property: string, entitySet: string])[] {
  return structuredOf(type).flatMap(({ name, target }) => {
    const bound = entitySets.find((set) => set.type === target());
    return bound === undefined ? [] : [[name, bound.name] as const];
  });
}
