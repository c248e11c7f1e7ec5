import { readData } from "./data.ts";
import { resourceNames } from "./dictionary.ts";
import { localLookups } from "./local-fields.ts";
import { fieldsOf } from "./resources.ts";

/** One value of a lookup. */
export type LookupValue = {
  /** Display form, such as `Active Under Contract`: what records carry and filters accept. */
  readonly value: string;
  /** Form for an enumeration member, such as `ActiveUnderContract`. */
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

/** Every lookup that a field names, standard and local, in byte order. */
export const lookupNames: readonly string[] = [...lookups.keys()];

/** The values of a lookup, as listed; none for one whose values each system brings, such as `City`. */
export function lookupValues(lookupName: string): readonly LookupValue[] {
  const values = lookups.get(lookupName);
  if (values === undefined) throw new RangeError(`unknown lookup \`${lookupName}\``);
  return values;
}
