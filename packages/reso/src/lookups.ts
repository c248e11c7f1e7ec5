import type { LookupTable } from "./data.ts";
import type { CatalogDefinition, OriginatingSystem } from "./definition.ts";
import type { Dictionary } from "./dictionary.ts";
import { resourceNames } from "./dictionary-data.ts";
import type { RecordName } from "./own-resources.ts";
import type { ResoResource } from "./resources.ts";

/** One value of a lookup. */
export type LookupValue = {
  /** Display form, such as `Active Under Contract`. It is in records, and filters compare with it. */
  readonly value: string;
  /** Name of the enumeration member, such as `ActiveUnderContract`. */
  readonly legacyODataValue: string;
};

/** One value of a lookup, as a record of the Lookup resource in JSON form. Source: RESO Data Dictionary 2.0, Lookup. */
type LookupRecord = {
  /** Key of the value, see {@link Lookups.key}. It does not change unless one of its parts does. */
  readonly LookupKey: string;
  readonly LookupName: string;
  readonly LookupValue: string;
  /** Null for a value that the dictionary does not list. */
  readonly StandardLookupValue: string | null;
  readonly LegacyODataValue: string;
  readonly ModificationTimestamp: string;
};

export type LookupRow = {
  /** Dataset of the system that the value is of; null for a value of all systems. */
  readonly datasetId: string | null;
  readonly record: LookupRecord;
};

/** A system's own value in a lookup for which the dictionary lists none, such as a city. */
export type OwnLookupValue = {
  readonly datasetId: string;
  readonly lookupName: string;
  readonly value: string;
};

/** The lookups of a catalog. */
export type Lookups = {
  /** Names of all lookups that fields have, standard and local, in byte order. */
  readonly names: readonly string[];
  /**
   * Returns the values that a lookup lists for all systems, or, of a local lookup, for its system; none if each system has its own, such
   * as for `City`.
   *
   * @throws {RangeError} for an unknown lookup
   */
  readonly values: (lookupName: string) => readonly LookupValue[];
  /** Returns the values that a system adds to a standard lookup. */
  readonly ownValues: (systemId: string, lookupName: string) => readonly LookupValue[];
  /**
   * Returns the key of a value: name of the lookup and legacy form. If the value is of one dataset, the key starts with the system's prefix,
   * so that keys of different datasets differ.
   */
  readonly key: (datasetId: string | null, lookupName: string, legacyODataValue: string) => string;
  /** Generates the listed values of all lookups in the order of their names, the systems' own ones behind, then `own`. */
  readonly rows: (own?: Iterable<OwnLookupValue>) => Generator<LookupRow>;
};

/** Time of the last change to the values that this version lists. It must be set anew with each change of them. */
const lastChanged = Date.parse("2024-06-01T00:00:00.000Z");

/** Rows are a millisecond apart, so that a client that pages by time alone, as the certification does, gets each one. */
const changedAt = (ordinal: number): string => new Date(lastChanged + ordinal).toISOString();

/** Converts a value to the name of an enumeration member: its letters and digits. */
export const legacyValueOf = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, "");

const toValues = (facts: LookupTable[string] = []): readonly LookupValue[] =>
  facts.map(([value, legacyODataValue]) => ({ value, legacyODataValue }));

/** Returns the lookups of a catalog. */
export function createLookups(
  { systems }: CatalogDefinition,
  resources: ReadonlyMap<RecordName, ResoResource>,
  dictionary: Dictionary,
): Lookups {
  const owners = new Map<string, OriginatingSystem>();
  for (const system of systems)
    for (const name of Object.keys(system.lookups ?? {}))
      if (!dictionary.lookups.has(name)) owners.set(name, system);
  const names = [
    ...new Set(
      resourceNames
        .flatMap((name) => resources.get(name)?.fields ?? [])
        .flatMap(({ lookup }) => lookup ?? []),
    ),
  ].sort();
  const byName = new Map(
    names.map((name) => [name, toValues(owners.get(name)?.lookups?.[name] ?? dictionary.valuesOf(name))]),
  );
  const prefixes = new Map(systems.map(({ datasetId, prefix }) => [datasetId, prefix]));

  function values(lookupName: string): readonly LookupValue[] {
    const found = byName.get(lookupName);
    if (found === undefined) throw new RangeError(`unknown lookup \`${lookupName}\``);
    return found;
  }

  function key(datasetId: string | null, lookupName: string, legacyODataValue: string): string {
    const prefix = (datasetId === null ? undefined : prefixes.get(datasetId)) ?? "";
    const name = lookupName.startsWith(prefix) ? lookupName : prefix + lookupName;
    return `${name}-${legacyODataValue}`;
  }

  const ownValues = (systemId: string, lookupName: string): readonly LookupValue[] => {
    const system = dictionary.lookups.has(lookupName) ? systems.find(({ id }) => id === systemId) : undefined;
    return toValues(system?.lookups?.[lookupName]);
  };

  function* everyValue(own: Iterable<OwnLookupValue>) {
    for (const name of names) {
      const owner = owners.get(name);
      for (const { value, legacyODataValue: legacy } of values(name))
        yield { datasetId: owner?.datasetId ?? null, name, value, legacy, standard: owner ? null : value };
    }
    for (const { id, datasetId, lookups = {} } of systems)
      for (const name of Object.keys(lookups))
        for (const { value, legacyODataValue: legacy } of ownValues(id, name))
          yield { datasetId, name, value, legacy, standard: null };
    for (const { datasetId, lookupName: name, value } of own)
      yield { datasetId, name, value, legacy: legacyValueOf(value), standard: null };
  }

  function* rows(own: Iterable<OwnLookupValue> = []): Generator<LookupRow> {
    let ordinal = 0;
    for (const { datasetId, name, value, legacy, standard } of everyValue(own))
      yield {
        datasetId,
        record: {
          LookupKey: key(datasetId, name, legacy),
          LookupName: name,
          LookupValue: value,
          StandardLookupValue: standard,
          LegacyODataValue: legacy,
          ModificationTimestamp: changedAt(ordinal++),
        },
      };
  }

  return { names, values, ownValues, key, rows };
}
