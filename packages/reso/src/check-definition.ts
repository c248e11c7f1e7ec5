import { CatalogError, type CatalogFault } from "./catalog-error.ts";
import type { CatalogDefinition, LocalField, LocalResource, OriginatingSystem } from "./definition.ts";
import { type Dictionary, type DictionaryAdditions, packagedResource } from "./dictionary.ts";
import { type ResourceName, resourceNames } from "./dictionary-data.ts";
import type { Field } from "./field.ts";

/** Id that the source of shared records has, so that no system may have it. */
const reservedIds: ReadonlySet<string> = new Set(["dictionary"]);

/** @throws {CatalogError} with all faults of the definition, of form and meaning */
export function requireSound(definition: CatalogDefinition, dictionary: Dictionary): void {
  const { systems } = definition;
  const faults = [
    ...additionFaults(definition, dictionary),
    ...repeatedMembers(systems),
    ...systems.flatMap((system, i) => [...systemFaults(system, dictionary, ["systems", i])]),
    ...fieldClashes(systems, dictionary),
    ...lookupClashes(systems, dictionary),
    ...standardFieldFaults(definition, dictionary),
  ];
  if (faults.length > 0) throw new CatalogError(faults);
}

/** Members of a system that no two systems may share, with the reason. */
const uniqueMembers = {
  id: "names the system",
  name: "tells its records apart",
  prefix: "tells its lookup keys apart",
  datasetId: "tells its dataset apart",
} as const satisfies Partial<Record<keyof OriginatingSystem, string>>;

function* repeatedMembers(systems: readonly OriginatingSystem[]): Generator<CatalogFault> {
  for (const [member, reason] of Object.entries(uniqueMembers) as [keyof typeof uniqueMembers, string][]) {
    const seen = new Map<string, string>();
    for (const [i, system] of systems.entries()) {
      const value = system[member];
      const other = seen.get(value);
      if (other !== undefined)
        yield {
          path: ["systems", i, member],
          message: `\`${value}\` is that of ${other} already, and ${reason}`,
        };
      seen.set(value, system.id);
    }
  }
  for (const [i, { id }] of systems.entries())
    if (reservedIds.has(id)) yield { path: ["systems", i, "id"], message: `\`${id}\` is reserved` };
}

type Path = readonly PropertyKey[];

/** Faults of what a later version of the dictionary adds: it changes nothing that the packaged one has. */
function* additionFaults(
  { dictionary: additions }: CatalogDefinition,
  dictionary: Dictionary,
): Generator<CatalogFault> {
  const { fields: added = {}, lookups = {} }: Partial<DictionaryAdditions> = additions ?? {};
  for (const [resource, fields = []] of Object.entries(added)) {
    const known = new Set(packagedResource(resource as ResourceName).fields.map((field) => field.name));
    for (const [i, field] of fields.entries()) {
      const path = ["dictionary", "fields", resource, i];
      if (known.has(field.name))
        yield { path: [...path, "name"], message: `\`${field.name}\` is a standard field already` };
      known.add(field.name);
      yield* fieldFaults(field, dictionary, { lookups }, path);
    }
  }
  for (const lookup of Object.keys(lookups)) {
    const path = ["dictionary", "lookups", lookup];
    if (!dictionary.lookups.has(lookup)) yield { path, message: "no standard field has this lookup" };
    yield* repeatedValues(dictionary.valuesOf(lookup), path);
  }
}

function* systemFaults(system: OriginatingSystem, dictionary: Dictionary, at: Path): Generator<CatalogFault> {
  for (const [resource, fields = []] of Object.entries(system.fields ?? {}))
    for (const [i, field] of fields.entries())
      yield* fieldFaults(field, dictionary, system, [...at, "fields", resource, i]);
  for (const [lookup, values] of Object.entries(system.lookups ?? {})) {
    const path = [...at, "lookups", lookup];
    if (!dictionary.lookups.has(lookup) && !lookup.startsWith(system.prefix))
      yield {
        path,
        message: `a lookup of the system must begin with its prefix \`${system.prefix}\`, or be a standard one that it adds values to`,
      };
    yield* repeatedValues(values, path);
  }
}

function* repeatedValues(values: readonly (readonly [string, string])[], at: Path): Generator<CatalogFault> {
  for (const form of [0, 1] as const) {
    const seen = new Set<string>();
    for (const [i, value] of values.entries()) {
      if (seen.has(value[form]))
        yield { path: [...at, i, form], message: `\`${value[form]}\` is listed twice` };
      seen.add(value[form]);
    }
  }
}

/** Facets by the types that can have them. */
const facetTypes = {
  maxLength: ["Edm.String"],
  precision: ["Edm.Decimal"],
  scale: ["Edm.Decimal"],
  lookup: ["Edm.String"],
  lookupStatus: ["Edm.String"],
} as const satisfies Partial<Record<keyof LocalField, readonly string[]>>;

function* fieldFaults(
  field: LocalField,
  dictionary: Dictionary,
  { lookups = {} }: Pick<OriginatingSystem, "lookups">,
  at: Path,
): Generator<CatalogFault> {
  for (const [facet, types] of Object.entries(facetTypes) as [keyof typeof facetTypes, readonly string[]][])
    if (field[facet] !== undefined && !types.includes(field.type))
      yield {
        path: [...at, facet],
        message: `only a field of ${types.join(" or ")} has \`${facet}\`, not one of ${field.type}`,
      };
  const { lookup, lookupStatus, precision, scale } = field;
  if (precision !== undefined && scale !== undefined && scale > precision)
    yield { path: [...at, "scale"], message: `must not exceed the precision of ${precision}` };
  if ((lookup === undefined) !== (lookupStatus === undefined))
    yield { path: at, message: "`lookup` and `lookupStatus` belong together: give both or neither" };
  if (lookup === undefined) return;
  const isOwn = Object.hasOwn(lookups, lookup);
  if (!isOwn && !dictionary.lookups.has(lookup))
    yield {
      path: [...at, "lookup"],
      message: `\`${lookup}\` is neither a standard lookup nor one of the system's \`lookups\``,
    };
  if (isOwn && lookupStatus !== "Open" && lookups[lookup]?.length === 0)
    yield { path: [...at, "lookupStatus"], message: `must be Open, since \`${lookup}\` lists no values` };
}

function* fieldClashes(
  systems: readonly OriginatingSystem[],
  dictionary: Dictionary,
): Generator<CatalogFault> {
  for (const resource of resourceNames) {
    const standard = standardClashes(dictionary.fieldsOf(resource));
    const owners = new Map<string, string>();
    for (const [s, { id, prefix, fields }] of systems.entries())
      for (const [i, { name: own }] of (fields?.[resource as LocalResource] ?? []).entries()) {
        const folded = own.toLowerCase();
        const owner = owners.get(folded);
        const clash =
          standard.get(folded) ?? (owner && `${owner} has a field of that name: begin it with \`${prefix}\``);
        if (clash !== undefined)
          yield {
            path: ["systems", s, "fields", resource, i, "name"],
            message: `\`${own}\`: ${clash}`,
          };
        owners.set(folded, id);
      }
  }
}

/** Returns the reasons not to take a name for a local field, by the name in lower case. */
function standardClashes(fields: readonly Field[]): ReadonlyMap<string, string> {
  return new Map([
    ...fields.flatMap(({ name: standard, synonyms }) =>
      synonyms.map((synonym): [string, string] => [
        synonym.toLowerCase(),
        `the dictionary has it as a synonym of the standard field \`${standard}\`: rename the field, or deliver its values as \`${standard}\``,
      ]),
    ),
    ...fields.map(({ name: standard }): [string, string] => [
      standard.toLowerCase(),
      `\`${standard}\` is a standard field: leave it out here, since every system has it`,
    ]),
  ]);
}

function* lookupClashes(
  systems: readonly OriginatingSystem[],
  dictionary: Dictionary,
): Generator<CatalogFault> {
  const owners = new Map<string, string>();
  for (const [i, { id, lookups = {} }] of systems.entries())
    for (const lookup of Object.keys(lookups)) {
      if (dictionary.lookups.has(lookup)) continue;
      const owner = owners.get(lookup);
      if (owner !== undefined)
        yield { path: ["systems", i, "lookups", lookup], message: `${owner} has a lookup of that name` };
      owners.set(lookup, id);
    }
}

function* standardFieldFaults(
  { standardFields = {} }: CatalogDefinition,
  dictionary: Dictionary,
): Generator<CatalogFault> {
  for (const [resource, names] of Object.entries(standardFields)) {
    const known = new Set(dictionary.fieldsOf(resource as ResourceName).map((field) => field.name));
    for (const [i, chosen] of names.entries())
      if (!known.has(chosen))
        yield {
          path: ["standardFields", resource, i],
          message: `${resource} has no standard field \`${chosen}\``,
        };
  }
}
