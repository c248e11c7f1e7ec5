import type { EntityType, StructuralProperty } from "@cadastre/odata";

/** A member that records of a resource may have, by the number that stored records know it by. */
export type Member = {
  readonly ordinal: number;
  readonly property: StructuralProperty;
  /** Its name in JSON text, with the colon. */
  readonly label: string;
};

/**
 * Number the members of an entity type. A number once given to a name is never given to another: `known` are the
 * names in the order of their numbers, and what is new follows them.
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

/** One more than the highest number that one of the members has. */
export const numberOfMembers = (members: ReadonlyMap<string, Member>): number =>
  1 + Math.max(-1, ...[...members.values()].map(({ ordinal }) => ordinal));
