import type { EntityType, StructuralProperty } from "@cadastre/odata";

/** A member of a resource's records. Stored records refer to it by its ordinal. */
export type Member = {
  readonly ordinal: number;
  readonly property: StructuralProperty;
  /** Name and colon as JSON text, such as `"City":`. */
  readonly label: string;
};

/**
 * Assigns ordinals to the members of an entity type. An ordinal is never reused for another name, because stored records contain
 * it.
 *
 * @param known the names that have ordinals, in the order of these; new names are appended
 */
export function numberMembers(
  { properties }: EntityType,
  known: readonly string[],
): { readonly members: ReadonlyMap<string, Member>; readonly added: readonly string[] } {
  const taken = new Set(known);
  const added = [...properties.keys()].filter((name) => !taken.has(name));
  const members = new Map<string, Member>();
  for (const [ordinal, name] of [...known, ...added].entries()) {
    const property = properties.get(name);
    if (property !== undefined) members.set(name, { ordinal, property, label: `${JSON.stringify(name)}:` });
  }
  return { members, added };
}

/** Returns the highest ordinal of the members plus 1. */
export const numberOfMembers = (members: ReadonlyMap<string, Member>): number =>
  1 + Math.max(-1, ...[...members.values()].map(({ ordinal }) => ordinal));
