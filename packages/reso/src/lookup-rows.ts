import { localLookups } from "./local-fields.ts";
import { lookupNames, lookupValues } from "./lookups.ts";
import { originatingSystems } from "./originating-systems.ts";

/** One value of one lookup, as a record of the Lookup resource in JSON form. Source: RESO Data Dictionary 2.0, Lookup. */
export type LookupRecord = {
  /** See {@link lookupKey}: stays as long as its parts do. */
  readonly LookupKey: string;
  readonly LookupName: string;
  readonly LookupValue: string;
  /** Null for a value that the dictionary does not list. */
  readonly StandardLookupValue: string | null;
  readonly LegacyODataValue: string;
  readonly ModificationTimestamp: string;
};

export type LookupRow = {
  /** Dataset of the system whose local lookup it is; null for one that all systems share. */
  readonly datasetId: string | null;
  readonly record: LookupRecord;
};

/** A value that a system has in a lookup of which the dictionary lists none, such as a city. */
export type OwnLookupValue = {
  readonly datasetId: string;
  readonly lookupName: string;
  readonly value: string;
};

/** When the values that this version lists were last changed: to be set with every change of them. */
const lastChanged = Date.parse("2024-06-01T00:00:00.000Z");

/** Rows change a millisecond after one another: who pages by time alone, as certification does, meets each of them. */
const changedAt = (ordinal: number): string => new Date(lastChanged + ordinal).toISOString();

const isLocal = (lookupName: string): boolean => Object.hasOwn(localLookups, lookupName);

const datasetOf = (lookupName: string): string | null =>
  isLocal(lookupName)
    ? (originatingSystems.find(({ prefix }) => lookupName.startsWith(prefix))?.datasetId ?? null)
    : null;

/**
 * The key of a value: name of the lookup and legacy form, with the system's prefix before what is of one dataset. No two
 * datasets can have the same key.
 */
export function lookupKey(datasetId: string | null, lookupName: string, legacyODataValue: string): string {
  const prefix = originatingSystems.find((system) => system.datasetId === datasetId)?.prefix ?? "";
  const name = lookupName.startsWith(prefix) ? lookupName : prefix + lookupName;
  return `${name}-${legacyODataValue}`;
}

/** Every listed value of every lookup, in the order of {@link lookupNames}, then the own ones: the same rows each time. */
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

/** A value as the name of an enumeration member: its letters and digits. */
const legacyOf = (value: string): string => value.replaceAll(/[^A-Za-z0-9]/g, "");
