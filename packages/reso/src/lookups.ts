import { readData } from "./data.ts";
import { resourceNames } from "./dictionary.ts";
import { localLookups } from "./local-fields.ts";
import { fieldsOf } from "./resources.ts";

/** One value of a lookup. */
export type LookupValue = {
  /** Display form, such as `Active Under Contract`. It is in records, and filters compare with it. */
  readonly value: string;
  /** Name of the enumeration member, such as `ActiveUnderContract`. */
  readonly legacyODataValue: string;
};

const listed = { ...readData("lookups"), ...localLookups };

const lookups: ReadonlyMap<string, readonly LookupValue[]> = new Map(
  resourceNames
    .flatMap(fieldsOf)
    .flatMap(({ lookup }) => lookup ?? [])
    .sort()
    .map((name) => [
      name,
      (listed[name] ?? []).map(([value, legacyODataValue]) => ({ value, legacyODataValue })),
    ]),
);

/** Names of all lookups that fields have, standard and local, in byte order. */
export const lookupNames: readonly string[] = [...lookups.keys()];

/** Returns the listed values of a lookup; none if each system has its own, such as for `City`. @throws {RangeError} for an unknown lookup */
export function lookupValues(lookupName: string): readonly LookupValue[] {
  const values = lookups.get(lookupName);
  if (values === undefined) throw new RangeError(`unknown lookup \`${lookupName}\``);
  return values;
}
