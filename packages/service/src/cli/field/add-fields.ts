import type {
  CatalogDefinition,
  LocalField,
  LocalResource,
  LookupTable,
  OriginatingSystem,
} from "@cadastre/reso";
import { requireSystem } from "../system/require-system.ts";

/** Local fields and lookups to be added to a system. */
export type Additions = {
  readonly fields: Partial<Readonly<Record<LocalResource, readonly LocalField[]>>>;
  readonly lookups: LookupTable;
};

/**
 * Returns a definition whose system has the fields and lookups too. A field of the same name is replaced; values are added to a lookup that
 * there is.
 *
 * @throws {CommandRefused} for an unknown system
 */
export function withAdditions(
  definition: CatalogDefinition,
  id: string,
  additions: Additions,
): CatalogDefinition {
  requireSystem(definition, id);
  const systems = definition.systems.map((system) =>
    system.id === id ? extended(system, additions) : system,
  );
  return { ...definition, systems };
}

function extended(system: OriginatingSystem, { fields, lookups }: Additions): OriginatingSystem {
  const merged: Record<string, readonly LocalField[]> = { ...system.fields };
  for (const [resource, added = []] of Object.entries(fields)) {
    const known = new Map((merged[resource] ?? []).map((field) => [field.name, field]));
    for (const field of added) known.set(field.name, field);
    merged[resource] = [...known.values()];
  }
  const values: Record<string, LookupTable[string]> = { ...system.lookups };
  for (const [name, added] of Object.entries(lookups)) {
    const known = new Map((values[name] ?? []).map((value) => [value[0], value]));
    for (const value of added) if (!known.has(value[0])) known.set(value[0], value);
    values[name] = [...known.values()];
  }
  return { ...system, fields: merged, lookups: values };
}
