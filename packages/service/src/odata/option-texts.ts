import { parseQueryOptions, QueryError, type QueryOptions, type SystemOptionName } from "@cadastre/odata";

/** Options of the service beside OData's. Source: interface specification, section 4.1. */
const extensions = ["$ignorecase", "$ignorenulls"] as const;

export type OptionName = SystemOptionName | (typeof extensions)[number] | "placekey";

/** The options of a request that mean something here; custom options are left out. */
export type OptionTexts = {
  readonly options: QueryOptions;
  /** Decoded text of each, by canonical name; parameter aliases too. */
  readonly texts: ReadonlyMap<string, string>;
  /** The name as the request writes it, of an option by its canonical name. */
  readonly written: (name: string) => string;
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
  const options = parse(query);
  const texts = new Map<string, string>();
  const writings = new Map<string, string>();
  for (const [name, { text, written }] of [...options.system, ...options.aliases]) {
    texts.set(name, text);
    writings.set(name, written);
  }
  for (const { name: written, value } of options.custom) {
    const name = ownNames.get(written) ?? ownNames.get(written.toLowerCase());
    if (name === undefined) continue;
    if (texts.has(name)) throw new QueryError("duplicate_option", null, { name }, written);
    texts.set(name, value ?? "");
    writings.set(name, written);
  }
  return { options, texts, written: (name) => writings.get(name) ?? name };
}

/** Split `query`; an error that is about the name of an option has that name, as it is written, for its target. */
function parse(query: string): QueryOptions {
  try {
    return parseQueryOptions(query, { extensions });
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { code, span, details } = error;
    const name = String(details["name"]);
    if (code === "unknown_option") throw error.in(name);
    if (code !== "duplicate_option") throw error;
    throw new QueryError(code, span, details, secondWriting(query, name));
  }
}

/** How `query` writes the name of the option `name` where it repeats it. */
function secondWriting(query: string, name: string): string {
  const plain = (written: string) =>
    written.startsWith("@") ? written : written.replace("$", "").toLowerCase();
  const writings = [...new URLSearchParams(query).keys()].filter((written) => plain(written) === plain(name));
  return writings[1] ?? name;
}
