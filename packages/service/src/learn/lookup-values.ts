import { type LookupTable, legacyValueOf } from "@cadastre/reso";
import type { FeedLookupValue } from "./feed-schema.ts";

/**
 * Returns values in the form of the catalog: each value and each legacy name once.
 *
 * @param before values that the lookup has already, whose legacy names are taken
 */
export function toLookupValues(
  values: readonly FeedLookupValue[],
  before: LookupTable[string] = [],
): LookupTable[string] {
  const known = new Set<string>();
  const names = new Set(before.map(([, name]) => name));
  const former = new Map(before);
  return values.flatMap(([text, legacy], i): LookupTable[string] => {
    const value = text.trim();
    if (value === "" || value.length > 255 || /\p{Cc}/u.test(value) || known.has(value)) return [];
    const wanted =
      legacy !== undefined && /^\w{1,128}$/.test(legacy) ? legacy : legacyValueOf(value).slice(0, 100);
    const isFree = wanted !== "" && (!names.has(wanted) || former.get(value) === wanted);
    let name = isFree ? wanted : `${wanted}_${i + 1}`;
    while (!isFree && names.has(name)) name += "_";
    known.add(value);
    names.add(name);
    return [[value, name]];
  });
}

/** Quotes the first values. */
export const quotedValues = (values: readonly FeedLookupValue[]): string =>
  values
    .slice(0, 5)
    .map(([value]) => `\`${value.slice(0, 64)}\``)
    .join(", ") + (values.length > 5 ? ` and ${values.length - 5} more` : "");
