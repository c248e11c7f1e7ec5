import { localLookups } from "./local-fields.ts";
import { lookupNames, lookupValues } from "./lookups.ts";
import { originatingSystems } from "./originating-systems.ts";

/** One value of one lookup, as a record of the Lookup resource in JSON form. Source: RESO Data Dictionary 2.0, Lookup. */
export type LookupRecord = {
  /** Name of the lookup and legacy form of the value: stays as long as they do. */
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

/** When the values that this version lists were last changed: to be set with every change of them. */
const lastChanged = "2024-06-01T00:00:00.000Z";

const isLocal = (lookupName: string): boolean => Object.hasOwn(localLookups, lookupName);

const datasetOf = (lookupName: string): string | null =>
  isLocal(lookupName)
    ? (originatingSystems.find(({ prefix }) => lookupName.startsWith(prefix))?.datasetId ?? null)
    : null;

/** Every listed value of every lookup, in the order of {@link lookupNames}: the same rows each time. */
export function* lookupRows(): Generator<LookupRow> {
  for (const name of lookupNames) {
    const datasetId = datasetOf(name);
    for (const { value, legacyODataValue } of lookupValues(name)) {
      const record = {
        LookupKey: `${name}-${legacyODataValue}`,
        LookupName: name,
        LookupValue: value,
        StandardLookupValue: isLocal(name) ? null : value,
        LegacyODataValue: legacyODataValue,
        ModificationTimestamp: lastChanged,
      };
      yield { datasetId, record };
    }
  }
}
