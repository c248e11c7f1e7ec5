import { localLookups } from "./local-fields.ts";
import { lookupNames, lookupValues } from "./lookups.ts";
import { originatingSystems } from "./originating-systems.ts";

/** One value of a lookup, as a record of the Lookup resource in JSON form. Source: RESO Data Dictionary 2.0, Lookup. */
type LookupRecord = {
  /** Key of the value, see {@link lookupKey}. It does not change unless one of its parts does. */
  readonly LookupKey: string;
  readonly LookupName: string;
  readonly LookupValue: string;
  /** Null for a value that the dictionary does not list. */
  readonly StandardLookupValue: string | null;
  readonly LegacyODataValue: string;
  readonly ModificationTimestamp: string;
};

export type LookupRow = {
  /** Dataset of the system that the lookup is local to; null for a lookup of all systems. */
  readonly datasetId: string | null;
  readonly record: LookupRecord;
};

/** A system's own value in a lookup for which the dictionary lists none, such as a city. */
export type OwnLookupValue = {
  readonly datasetId: string;
  readonly lookupName: string;
  readonly value: string;
};

/** Time of the last change to the values that this version lists. It must be set anew with each change of them. */
const lastChanged = Date.parse("2024-06-01T00:00:00.000Z");

/** Rows are a millisecond apart, so that a client that pages by time alone, as the certification does, gets each one. */
const changedAt = (ordinal: number): string => new Date(lastChanged + ordinal).toISOString();

const isLocal = (lookupName: string): boolean => Object.hasOwn(localLookups, lookupName);

const datasetOf = (lookupName: string): string | null =>
  isLocal(lookupName)
    ? (originatingSystems.find(({ prefix }) => lookupName.startsWith(prefix))?.datasetId ?? null)
    : null;

/**
 * Returns the key of a value: name of the lookup and legacy form. If the value is of one dataset, the key starts with the system's prefix,
 * so that keys of different datasets differ.
 */
export function lookupKey(datasetId: string | null, lookupName: string, legacyODataValue: string): string {
  const prefix = originatingSystems.find((system) => system.datasetId === datasetId)?.prefix ?? "";
  const name = lookupName.startsWith(prefix) ? lookupName : prefix + lookupName;
  return `${name}-${legacyODataValue}`;
}

/** Generates the listed values of all lookups in the order of {@link lookupNames}, then `own`. The rows are always the same. */
export function* lookupRows(own: Iterable<OwnLookupValue> = []): Generator<LookupRow> {
  let ordinal = 0;
  for (const { datasetId, name, value, legacy, standard } of values(own))
    yield {
      datasetId,
      record: {
        LookupKey: lookupKey(datasetId, name, legacy),
        LookupName: name,
        LookupValue: value,
        StandardLookupValue: standard,
        LegacyODataValue: legacy,
        ModificationTimestamp: changedAt(ordinal++),
      },
    };
}

function* values(own: Iterable<OwnLookupValue>) {
  for (const name of lookupNames)
    for (const { value, legacyODataValue: legacy } of lookupValues(name))
      yield { datasetId: datasetOf(name), name, value, legacy, standard: isLocal(name) ? null : value };
  for (const { datasetId, lookupName: name, value } of own)
    yield { datasetId, name, value, legacy: legacyOf(value), standard: null };
}

/** Converts a value to the name of an enumeration member: its letters and digits. */
const legacyOf = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, "");
