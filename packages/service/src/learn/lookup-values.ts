import {
  type Dictionary,
  type LocalResource,
  type LookupTable,
  legacyValueOf,
  localResources,
} from "@cadastre/reso";
import type { FeedLookupValue, FeedSchema } from "./feed-schema.ts";
import { fieldAlsoCalled } from "./field-names.ts";

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

const isLocalResource = (name: string): name is LocalResource =>
  localResources.some((resource) => resource === name);

/**
 * Returns the lookups of a source, with the dictionary's values for members of enumerations for which the source states none, such as
 * `Active Under Contract` for `ActiveUnderContract`.
 */
export function withStandardTexts(
  { fields, lookups }: FeedSchema,
  dictionary: Dictionary,
): FeedSchema["lookups"] {
  const described = new Map(lookups);
  for (const { resource, name, lookup, enumeration } of fields) {
    if (enumeration === undefined || lookup === undefined) continue;
    const standard = isLocalResource(resource)
      ? fieldAlsoCalled(dictionary.fieldsOf(resource), name)?.lookup
      : undefined;
    if (standard === undefined) continue;
    const texts = new Map(dictionary.valuesOf(standard).map(([value, member]) => [member, value]));
    const values = described.get(lookup) ?? [];
    described.set(
      lookup,
      values.map(([value, member]) => [(value === member && texts.get(member)) || value, member]),
    );
  }
  return described;
}

/**
 * Notes on a lookup that has values of several lookups.
 *
 * @param origins the source's lookups that have them
 * @param added number of values that are new
 * @param before number of values that the lookup has already, and whose they are
 */
export function mergeNotes(
  name: string,
  origins: readonly string[],
  added: number,
  before: { readonly owner: string; readonly values: number },
): readonly string[] {
  const of = origins.map((origin) => `\`${origin}\``).join(" and ");
  const values = added === 1 ? "1 value" : `${added} values`;
  return [
    ...(origins.length > 1 ? [`lookup ${name}: merged from the source's lookups ${of}`] : []),
    ...(added > 0 && before.values > 0
      ? [
          `lookup ${name}: ${values} of the source's ${of} ${added === 1 ? "joins" : "join"} the ${before.values} that the ${before.owner} has`,
        ]
      : []),
  ];
}
