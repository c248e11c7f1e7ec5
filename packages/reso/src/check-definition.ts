import { z } from "zod";
import {
  type CatalogDefinition,
  type LocalField,
  type LocalResource,
  localResources,
  localTypes,
  type OriginatingSystem,
} from "./definition.ts";
import { type ResourceName, resourceNames } from "./dictionary.ts";
import { issueWords } from "./issue-words.ts";
import { standardLookups } from "./lookups.ts";
import { standardResource } from "./resources.ts";

/** A fault of a catalog's definition. */
export type CatalogFault = {
  /** Members that lead to the fault, such as `["systems", 0, "fields", "Property", 3, "name"]`. */
  readonly path: readonly PropertyKey[];
  /** Description of the fault and of what is allowed. */
  readonly message: string;
};

/** Faults of a catalog's definition, all at once. */
export class CatalogError extends Error {
  override readonly name = "CatalogError";
  readonly faults: readonly CatalogFault[];

  constructor(faults: readonly CatalogFault[]) {
    super(
      faults
        .map(({ path, message }) => `${path.length === 0 ? "the definition" : pathText(path)}: ${message}`)
        .join("\n"),
    );
    this.faults = faults;
  }
}

/** Writes a path as in JavaScript: `systems[0].fields.Property[3].name`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, i) => (typeof step === "number" ? `[${step}]` : `${i === 0 ? "" : "."}${String(step)}`))
    .join("");

const lookupStatuses = ["Open", "Open with Enumerations", "Locked with Enumerations"] as const;

const name = z
  .string()
  .regex(/^[A-Za-z_]\w{0,127}$/, "must be an OData identifier: letters, digits and `_`, up to 128");
const line = (longest: number) =>
  z
    .string()
    .min(1)
    .max(longest)
    .regex(/^\P{Cc}*$/u, "must be one line of text");

const localField = z.strictObject({
  name,
  displayName: line(128),
  type: z.enum(localTypes),
  collection: z.literal(true).optional(),
  maxLength: z.int().min(1).max(65_535).optional(),
  precision: z.int().min(1).max(38).optional(),
  scale: z.int().min(0).max(15).optional(),
  lookup: name.optional(),
  lookupStatus: z.enum(lookupStatuses).optional(),
  synonyms: z.array(name).optional(),
  derivedFrom: z.array(name).optional(),
  mayReveal: z.array(z.string().regex(/^(?:\w+\/)?\w+$/)).optional(),
  group: line(128).optional(),
  annotations: z
    .array(
      z.strictObject({
        term: z
          .string()
          .regex(
            /^[A-Za-z_][\w.]*\.[A-Za-z_]\w*$/,
            "must be a qualified name, such as `Org.OData.Core.V1.Description`",
          ),
        value: z.union([z.string().max(4000), z.boolean(), z.number()]),
      }),
    )
    .optional(),
});

const lookupValue = z.tuple([line(255), name.or(z.string().regex(/^\w{1,128}$/))]);

const originatingSystem = z.strictObject({
  id: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,31}$/,
      "must be lower-case letters, digits and `-`, up to 32, such as `northshore`",
    ),
  name: line(128),
  prefix: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,9}_$/, "must be 2 to 10 capital letters or digits and `_`, such as `NSM_`"),
  states: z.array(z.string().regex(/^[A-Z]{2}$/, "must be a code of two capital letters, such as `TX`")),
  datasetId: z.uuid(),
  contact: line(320).optional(),
  fields: z.partialRecord(z.enum(localResources), z.array(localField)).optional(),
  lookups: z.record(name, z.array(lookupValue)).optional(),
});

const schema = z.strictObject({
  systems: z.array(originatingSystem),
  standardFields: z.partialRecord(z.enum(resourceNames), z.array(name)).optional(),
});

/**
 * Reads a catalog's definition from JSON.
 *
 * @throws {CatalogError} with all faults of its form; `createCatalog` finds those of its meaning
 */
export function readDefinition(json: unknown): CatalogDefinition {
  const read = schema.safeParse(json, { error: issueWords });
  if (read.success) return read.data as CatalogDefinition;
  throw new CatalogError(read.error.issues.map(({ path, message }) => ({ path, message })));
}

/** Id that the source of shared records has, so that no system may have it. */
const reservedIds: ReadonlySet<string> = new Set(["dictionary"]);

/** @throws {CatalogError} with all faults of the definition, of form and meaning */
export function requireSound(definition: CatalogDefinition): void {
  const faults = [
    ...repeatedMembers(definition.systems),
    ...definition.systems.flatMap((system, i) => [...systemFaults(system, ["systems", i])]),
    ...fieldClashes(definition),
    ...lookupClashes(definition.systems),
    ...standardFieldFaults(definition),
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

function* systemFaults(system: OriginatingSystem, at: Path): Generator<CatalogFault> {
  for (const [resource, fields = []] of Object.entries(system.fields ?? {}))
    for (const [i, field] of fields.entries())
      yield* fieldFaults(field, system, [...at, "fields", resource, i]);
  for (const [lookup, values] of Object.entries(system.lookups ?? {})) {
    const path = [...at, "lookups", lookup];
    if (!standardLookups.has(lookup) && !lookup.startsWith(system.prefix))
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
  { lookups = {} }: OriginatingSystem,
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
  if (!isOwn && !standardLookups.has(lookup))
    yield {
      path: [...at, "lookup"],
      message: `\`${lookup}\` is neither a standard lookup nor one of the system's \`lookups\``,
    };
  if (isOwn && lookupStatus !== "Open" && lookups[lookup]?.length === 0)
    yield { path: [...at, "lookupStatus"], message: `must be Open, since \`${lookup}\` lists no values` };
}

function* fieldClashes({ systems }: CatalogDefinition): Generator<CatalogFault> {
  for (const resource of resourceNames) {
    const standard = standardClashes(resource);
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
function standardClashes(resource: ResourceName): ReadonlyMap<string, string> {
  const { fields } = standardResource(resource);
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

function* lookupClashes(systems: readonly OriginatingSystem[]): Generator<CatalogFault> {
  const owners = new Map<string, string>();
  for (const [i, { id, lookups = {} }] of systems.entries())
    for (const lookup of Object.keys(lookups)) {
      if (standardLookups.has(lookup)) continue;
      const owner = owners.get(lookup);
      if (owner !== undefined)
        yield { path: ["systems", i, "lookups", lookup], message: `${owner} has a lookup of that name` };
      owners.set(lookup, id);
    }
}

function* standardFieldFaults({ standardFields = {} }: CatalogDefinition): Generator<CatalogFault> {
  for (const [resource, names] of Object.entries(standardFields)) {
    const known = new Set(standardResource(resource as ResourceName).fields.map((field) => field.name));
    for (const [i, chosen] of names.entries())
      if (!known.has(chosen))
        yield {
          path: ["standardFields", resource, i],
          message: `${resource} has no standard field \`${chosen}\``,
        };
  }
}
