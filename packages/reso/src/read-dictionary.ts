import { z } from "zod";
import { CatalogError, type CatalogFault } from "./catalog-error.ts";
import type { FieldFacts, LookupTable } from "./data.ts";
import { createDictionary, type Dictionary, type DictionaryAdditions } from "./dictionary.ts";
import { type ResourceName, resourceNames } from "./dictionary-data.ts";
import type { Field } from "./field.ts";
import { issueWords } from "./issue-words.ts";

const annotations = z.array(z.looseObject({ term: z.string(), value: z.unknown() })).default([]);

/** The form in which RESO publishes a dictionary: a metadata report in JSON, as in `references/dd/json` of its transport repository. */
const metadataReport = z.looseObject({
  version: z.string(),
  fields: z.array(
    z.looseObject({
      resourceName: z.string(),
      fieldName: z.string(),
      type: z.string(),
      isCollection: z.boolean().optional(),
      isExpansion: z.boolean().optional(),
      maxLength: z.int().positive().nullish(),
      precision: z.int().positive().nullish(),
      scale: z.int().min(0).nullish(),
      annotations,
    }),
  ),
  lookups: z.array(z.looseObject({ lookupName: z.string(), lookupValue: z.string(), annotations })),
});

type ReportField = z.output<typeof metadataReport>["fields"][number];

/**
 * Reads a dictionary that RESO publishes, and returns what it has beyond that of this package: fields of the resources that are served, and
 * values of their lookups. What it lacks stays.
 *
 * @throws {CatalogError} if it is no metadata report, or gives a standard field another type
 */
export function readDictionary(json: unknown): DictionaryAdditions {
  const read = metadataReport.safeParse(json, { error: issueWords });
  if (!read.success)
    throw new CatalogError(read.error.issues.map(({ path, message }) => ({ path, message })));
  const { version, fields, lookups } = read.data;
  const dictionary = createDictionary();
  const listed = valuesByLookup(lookups);
  const faults: CatalogFault[] = [];
  const added: Partial<Record<ResourceName, FieldFacts[]>> = {};
  const names = new Set(listedLookups(dictionary));
  for (const [i, field] of fields.entries()) {
    const resource = resourceNames.find((name) => name === field.resourceName);
    if (resource === undefined || field.isExpansion) continue;
    const known = dictionary.fieldsOf(resource).find(({ name }) => name === field.fieldName);
    const facts = factsOf(field, listed);
    if (known === undefined) {
      added[resource] = [...(added[resource] ?? []), facts];
      if (facts.lookup !== undefined) names.add(facts.lookup);
    } else if (!isOfType(known, facts))
      faults.push({
        path: ["fields", i, "type"],
        message: `\`${resource}/${known.name}\` is ${typeText(known)} in version ${dictionary.version}, and records have such values: it cannot become ${typeText(facts)}`,
      });
  }
  if (faults.length > 0) throw new CatalogError(faults);
  const further = [...names].flatMap((name) => {
    const before = new Set(dictionary.valuesOf(name).map(([value]) => value));
    const values = (listed.get(name) ?? []).filter(([value]) => !before.has(value));
    return values.length === 0 ? [] : [[name, values] as const];
  });
  return {
    version,
    ...(Object.keys(added).length > 0 && { fields: added }),
    ...(further.length > 0 && { lookups: Object.fromEntries(further) }),
  };
}

/** Returns the names of lookups whose values the dictionary lists. Of the others a report has examples, such as cities. */
const listedLookups = ({ fieldsOf }: Dictionary): readonly string[] =>
  resourceNames.flatMap((resource) =>
    fieldsOf(resource).flatMap(({ lookup, lookupStatus }) =>
      lookup === undefined || lookupStatus === "Open" ? [] : [lookup],
    ),
  );

const isOfType = (known: Pick<Field, "type" | "collection">, facts: FieldFacts): boolean =>
  known.type === facts.type && known.collection === (facts.collection ?? false);

const typeText = ({ type, collection }: { readonly type: string; readonly collection?: boolean }): string =>
  collection ? `Collection(${type})` : type;

/** Returns the last part of a qualified name. */
const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

const annotated = (
  wanted: string,
  { annotations: all }: Pick<ReportField, "annotations">,
): string | undefined => {
  const found = all.find(({ term }) => term === wanted)?.value;
  return typeof found === "string" && found !== "" ? found : undefined;
};

const standardName = "RESO.OData.Metadata.StandardName";

/** Returns the values of each lookup: its display form, and the name of the member of its enumeration. */
function valuesByLookup(
  lookups: z.output<typeof metadataReport>["lookups"],
): ReadonlyMap<string, LookupTable[string]> {
  const found = new Map<string, [string, string][]>();
  for (const { lookupName, lookupValue, ...rest } of lookups) {
    const values = found.get(lastPart(lookupName)) ?? [];
    found.set(lastPart(lookupName), values);
    values.push([annotated(standardName, rest) ?? lookupValue, lookupValue]);
  }
  return found;
}

/** Returns a field as this package has it. Enumerations become texts with a lookup. */
function factsOf(field: ReportField, listed: ReadonlyMap<string, LookupTable[string]>): FieldFacts {
  const { fieldName: name, isCollection, maxLength, precision, scale } = field;
  const isEnumeration = !field.type.startsWith("Edm.");
  const lookup = isEnumeration ? lastPart(field.type) : annotated("RESO.OData.Metadata.LookupName", field);
  const type = isEnumeration ? "Edm.String" : (field.type as FieldFacts["type"]);
  return {
    name,
    displayName: annotated(standardName, field) ?? name,
    type,
    ...(isCollection && { collection: true as const }),
    ...(type === "Edm.String" && maxLength != null && { maxLength }),
    ...(type === "Edm.Decimal" && precision != null && { precision }),
    ...(type === "Edm.Decimal" && scale != null && { scale }),
    ...(lookup !== undefined && {
      lookup,
      lookupStatus: listed.has(lookup) ? ("Open with Enumerations" as const) : ("Open" as const),
    }),
  };
}
