import { type FieldFacts, type LookupTable, readData } from "./data.ts";
import { derivedFields } from "./derived-fields.ts";
import {
  type DictionaryResource,
  dictionaryResource,
  packagedVersion,
  type ResourceName,
  resourceNames,
} from "./dictionary-data.ts";
import { disclosuresOf } from "./disclosures.ts";
import { defineField, type Field } from "./field.ts";
import { isOwnResource, ownResource, ownResourceNames, type RecordName } from "./own-resources.ts";

/** Fields and lookup values that a later version of the RESO Data Dictionary has beyond the one of this package. */
export type DictionaryAdditions = {
  /** That version, such as `2.1`. */
  readonly version: string;
  /** New fields by resource. */
  readonly fields?: Partial<Readonly<Record<ResourceName, readonly FieldFacts[]>>>;
  /** Values of new lookups, and further values of others, by lookup name. */
  readonly lookups?: LookupTable;
};

/** Standard fields and lookups: those of this package, and what a later version adds. */
export type Dictionary = {
  /** Version of the RESO Data Dictionary. */
  readonly version: string;
  /** Returns the standard fields of a resource. @throws {RangeError} for an unknown name */
  readonly fieldsOf: (name: RecordName) => readonly Field[];
  /** Names of the lookups that standard fields have. */
  readonly lookups: ReadonlySet<string>;
  /** Returns the values that a lookup lists, none if it is unknown. */
  readonly valuesOf: (lookupName: string) => LookupTable[string];
};

export const recordNames: readonly RecordName[] = [...resourceNames, ...ownResourceNames];

/** Resources of this package, by name. Their files are read once. */
const packaged: ReadonlyMap<RecordName, DictionaryResource> = new Map(
  recordNames.map((name) => [name, withDisclosures(name)]),
);

function withDisclosures(name: RecordName): DictionaryResource {
  const { key, fields } = isOwnResource(name) ? ownResource(name) : dictionaryResource(name);
  const all = name === "Property" ? [...fields, ...derivedFields] : fields;
  return { key, fields: all.map((field) => ({ ...field, ...disclosuresOf(name, field.name) })) };
}

/** Returns a resource as this package has it. @throws {RangeError} for an unknown name */
export function packagedResource(name: RecordName): DictionaryResource {
  const found = packaged.get(name);
  if (found === undefined) throw new RangeError(`unknown resource \`${name}\``);
  return found;
}

const packagedValues = readData("lookups");

/** Returns the dictionary of this package with the additions of a later version. */
export function createDictionary(
  { version, fields = {}, lookups = {} }: DictionaryAdditions = { version: packagedVersion },
): Dictionary {
  const added = (name: RecordName): readonly Field[] =>
    isOwnResource(name)
      ? []
      : (fields[name] ?? []).map((facts) => defineField(facts, { source: null, required: false }));
  const byName = new Map(
    recordNames.map((name) => [name, [...packagedResource(name).fields, ...added(name)]]),
  );
  const fieldsOf = (name: RecordName): readonly Field[] => byName.get(name) ?? packagedResource(name).fields;
  return {
    version,
    fieldsOf,
    lookups: new Set(resourceNames.flatMap((name) => fieldsOf(name).flatMap(({ lookup }) => lookup ?? []))),
    valuesOf: (name) => [...(packagedValues[name] ?? []), ...(lookups[name] ?? [])],
  };
}
