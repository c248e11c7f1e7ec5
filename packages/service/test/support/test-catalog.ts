import {
  type Catalog,
  createCatalog,
  type Field,
  type LocalField,
  type LocalResource,
  type LookupTable,
  localResources,
  localTypes,
  type OriginatingSystem,
  type RecordName,
} from "@cadastre/reso";
import { sampleCatalog, sampleDefinition } from "@cadastre/sample/catalog";
import { type Random, randomOf } from "./random.ts";

/**
 * The catalog of tests that state laws: that of the sample, or with `CATALOG=<number>` one whose systems have further local fields and lookups,
 * drawn from the number.
 */
export const testCatalog: Catalog = createTestCatalog(process.env["CATALOG"]);

/** Returns the local fields that `CATALOG` adds to a resource. */
export function addedFields(name: RecordName): readonly Field[] {
  const known = new Set(sampleCatalog.fieldsOf(name).map((field) => field.name));
  return testCatalog.fieldsOf(name).filter((field) => !known.has(field.name));
}

function createTestCatalog(seed: string | undefined): Catalog {
  if (seed === undefined) return sampleCatalog;
  const random = randomOf(Number(seed));
  const systems = sampleDefinition.systems.map((system) => extended(system, random));
  return createCatalog({ ...sampleDefinition, systems });
}

function extended(system: OriginatingSystem, random: Random): OriginatingSystem {
  const lookups: Record<string, LookupTable[string]> = { ...system.lookups };
  const fields: Partial<Record<LocalResource, readonly LocalField[]>> = { ...system.fields };
  for (const resource of localResources) {
    const added = Array.from({ length: random.below(9) }, (_, i) => {
      const name = `${system.prefix}Random${resource}${i}`;
      return randomField(name, random, lookups);
    });
    fields[resource] = [...(fields[resource] ?? []), ...added];
  }
  return { ...system, fields, lookups };
}

/** @param lookups receives the lookup of the field, if it has one of its own */
function randomField(name: string, random: Random, lookups: Record<string, LookupTable[string]>): LocalField {
  const type = random.pick(localTypes);
  const precision = 1 + random.below(15);
  const hasLookup = type === "Edm.String" && random.chance(0.5);
  if (hasLookup)
    lookups[name] = Array.from(
      { length: 1 + random.below(6) },
      (_, i) => [`Value ${i}`, `Value${i}`] as const,
    );
  return {
    name,
    displayName: name,
    type,
    ...(random.chance(0.3) && type !== "Edm.Boolean" ? { collection: true } : {}),
    ...(type === "Edm.Decimal" ? { precision, scale: random.below(precision) } : {}),
    ...(type === "Edm.String" ? { maxLength: 10 + random.below(90) } : {}),
    ...(hasLookup ? { lookup: name, lookupStatus: "Locked with Enumerations" as const } : {}),
  };
}
