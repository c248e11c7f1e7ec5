import type { ResourceMapping } from "../ingest/mapping.ts";
import type { FeedField, FeedSchema } from "./feed-schema.ts";
import type { FieldVerdict } from "./field-verdict.ts";

/**
 * Returns the mapping that reads the source's records: the names that change, the fields that the service does not take, and the values that
 * the members of enumerations stand for.
 */
export function sourceMapping(
  verdicts: readonly FieldVerdict[],
  { fields, lookups }: FeedSchema,
): Readonly<Record<string, ResourceMapping>> {
  const described = new Map(fields.map((field) => [`${field.resource}/${field.name}`, field]));
  const resources = [...new Set(verdicts.map(({ resource }) => resource))];
  const mappings = resources.map((resource): readonly [string, ResourceMapping] => {
    const own = verdicts.filter((one) => one.resource === resource && one.name !== "*");
    const rename = own.flatMap(({ name, renamedTo }): [string, string][] =>
      renamedTo === undefined ? [] : [[name, renamedTo]],
    );
    const drop = own
      .filter(({ verdict }) => verdict === "left-out" || verdict === "undecided")
      .map(({ name }) => name);
    const enumerations = own.flatMap(({ name, renamedTo, verdict }): [string, FeedField][] => {
      const field = described.get(`${resource}/${name}`);
      const isTaken = renamedTo !== undefined || verdict !== "clash";
      return field?.enumeration === undefined || !isTaken || drop.includes(name)
        ? []
        : [[renamedTo ?? name, field]];
    });
    const split = enumerations.flatMap(([name, { enumeration }]): [string, string][] =>
      enumeration === "flags" ? [[name, ","]] : [],
    );
    const values = enumerations.flatMap(([name, { lookup = "" }]) => {
      const texts = memberTexts(lookups, lookup);
      return Object.keys(texts).length === 0 ? [] : [[name, texts] as const];
    });
    return [
      resource,
      {
        ...(rename.length > 0 && { rename: Object.fromEntries(rename) }),
        ...(drop.length > 0 && { drop }),
        ...(split.length > 0 && { split: Object.fromEntries(split) }),
        ...(values.length > 0 && { values: Object.fromEntries(values) }),
      },
    ];
  });
  return Object.fromEntries(mappings.filter(([, mapping]) => Object.keys(mapping).length > 0));
}

/** Returns the values of a lookup by the members of its enumeration, where the two differ. */
const memberTexts = (lookups: FeedSchema["lookups"], lookup: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    (lookups.get(lookup) ?? []).flatMap(([value, member]): [string, string][] => {
      const text = value.trim();
      return member === undefined || text === "" || member === text ? [] : [[member, text]];
    }),
  );
