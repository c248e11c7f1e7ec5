import {
  type CatalogDefinition,
  type LocalField,
  type LocalResource,
  type LookupStatus,
  type LookupTable,
  localResources,
  localTypes,
  type OriginatingSystem,
} from "@cadastre/reso";
import { type Random, randomOf } from "./random.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const states = ["TX", "OR", "WA", "CA", "IL", "WI", "ME", "FL", "HI", "AK", "DC"];
/** Parts of the names of systems and values: what markup, JSON, SQL and CSV must escape, and letters beyond ASCII. */
const words = [
  "North",
  "O'Brien",
  "Straße",
  "a & b",
  "<East>",
  '"West"',
  "café",
  "{x}",
  "50 %",
  "a, b",
  "東京",
  "🏠",
];
const lookupStatuses: readonly LookupStatus[] = [
  "Open",
  "Open with Enumerations",
  "Locked with Enumerations",
];

/** A standard lookup that systems may add values to. */
const extensibleLookup = "Appliances";

/** Returns a definition that is drawn from a number: its systems, their local fields of every type, and their lookups. */
export function randomDefinition(seed: number): CatalogDefinition {
  const random = randomOf(seed);
  // The laws compare customers of at least three datasets.
  const count = 3 + random.below(4);
  return { systems: Array.from({ length: count }, (_, i) => randomSystem(i, random)) };
}

function randomSystem(index: number, random: Random): OriginatingSystem {
  const prefix = `${letters[index]}${textOf(random, letters, 1 + random.below(8))}_`;
  const lookups: Record<string, LookupTable[string]> = {};
  if (random.chance(0.5)) lookups[extensibleLookup] = valuesOf(prefix, 1 + random.below(3), random);
  const fields = Object.fromEntries(
    localResources.map((resource) => {
      // The first system has every type in listings, one value and several.
      const types =
        index === 0 && resource === "Property"
          ? localTypes.flatMap((type) => [{ type }, { type, collection: true as const }])
          : Array.from({ length: random.below(7) }, () => ({
              type: random.pick(localTypes),
              ...(random.chance(0.3) ? { collection: true as const } : {}),
            }));
      return [
        resource,
        types.map((type, i) => randomField(`${prefix}${resource}${i}`, type, random, lookups)),
      ];
    }),
  ) as unknown as Record<LocalResource, readonly LocalField[]>;
  return {
    id: `s${index}-${textOf(random, letters.toLowerCase(), 1 + random.below(10))}`,
    name: `${random.pick(words)} ${random.pick(words)} ${index}`,
    prefix,
    states: states.filter(() => random.chance(0.3)),
    datasetId: uuidOf(random),
    ...(random.chance(0.5) ? { contact: "data@mls.example" } : {}),
    fields,
    lookups,
  };
}

/** @param lookups receives the lookup of the field, if it has one of its own */
function randomField(
  name: string,
  type: Pick<LocalField, "type" | "collection">,
  random: Random,
  lookups: Record<string, LookupTable[string]>,
): LocalField {
  return {
    name,
    displayName: `${random.pick(words)} ${name}`,
    ...type,
    ...facetsOf[type.type]?.(name, random, lookups),
    ...(random.chance(0.3) ? { group: random.pick(words) } : {}),
    ...(random.chance(0.2)
      ? { annotations: [{ term: "Org.OData.Core.V1.Description", value: random.pick(words) }] }
      : {}),
  };
}

type Facets = Partial<Pick<LocalField, "precision" | "scale" | "maxLength" | "lookup" | "lookupStatus">>;

const facetsOf: Readonly<
  Partial<
    Record<
      LocalField["type"],
      (name: string, random: Random, lookups: Record<string, LookupTable[string]>) => Facets
    >
  >
> = {
  "Edm.Decimal": (_name, random) => {
    const precision = 1 + random.below(15);
    return { precision, scale: random.below(precision) };
  },
  "Edm.String": (name, random, lookups) => {
    if (random.chance(0.4)) return random.chance(0.5) ? {} : { maxLength: 3 + random.below(90) };
    const lookupStatus = random.pick(lookupStatuses);
    if (random.chance(0.2)) return { lookup: extensibleLookup, lookupStatus: "Open with Enumerations" };
    lookups[name] = valuesOf("", lookupStatus === "Open" ? random.below(3) : 1 + random.below(6), random);
    return { lookup: name, lookupStatus };
  },
};

const valuesOf = (prefix: string, count: number, random: Random): LookupTable[string] =>
  Array.from(
    { length: count },
    (_, i) => [`${prefix}${random.pick(words)} ${i}`, `${prefix}Value${i}`] as const,
  );

const textOf = (random: Random, characters: string, length: number): string =>
  Array.from({ length }, () => characters[random.below(characters.length)]).join("");

function uuidOf(random: Random): string {
  const digits = (length: number) => textOf(random, "0123456789abcdef", length);
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
}
