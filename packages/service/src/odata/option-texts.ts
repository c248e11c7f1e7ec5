import { parseQueryOptions, QueryError, type QueryOptions, type SystemOptionName } from "@cadastre/odata";

/** Options of the service beside OData's. Source: interface specification, section 4.1. */
const extensions = ["$ignorecase", "$ignorenulls"] as const;

export type OptionName = SystemOptionName | (typeof extensions)[number] | "placekey";

/** The options of a request that mean something here; custom options are left out. */
export type OptionTexts = {
  readonly options: QueryOptions;
  /** Decoded text of each, by canonical name; parameter aliases too. */
  readonly texts: ReadonlyMap<string, string>;
};

const ownNames: ReadonlyMap<string, OptionName> = new Map<string, OptionName>([
  ...extensions.flatMap((name): [string, OptionName][] => [
    [name, name],
    [name.slice(1), name],
  ]),
  ["placekey", "placekey"],
]);

/**
 * Split a query string. The service's extensions are found as system options are: in any letter case, with a
 * dollar sign or without.
 *
 * @throws {QueryError}
 */
export function readOptionTexts(query: string): OptionTexts {
  const options = parseQueryOptions(query, { extensions });
  const texts = new Map<string, string>();
  for (const [name, { text }] of [...options.system, ...options.aliases]) texts.set(name, text);
  for (const { name: written, value } of options.custom) {
    const name = ownNames.get(written) ?? ownNames.get(written.toLowerCase());
    if (name === undefined) continue;
    if (texts.has(name)) throw new QueryError("duplicate_option", null, { name }, name);
    texts.set(name, value ?? "");
  }
  return { options, texts };
}
