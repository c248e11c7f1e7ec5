import { parseQueryOptions, QueryError, type QueryOptions, type SystemOptionName } from "@cadastre/odata";

/** System options that OData does not have. */
const extensions = ["$ignorecase", "$ignorenulls"] as const;

/** Name of an option that a service may offer, other than those of its host. */
export type OptionName = SystemOptionName | (typeof extensions)[number];

/** Query options of a request, without unknown custom options. */
export type OptionTexts = {
  readonly options: QueryOptions;
  /** Decoded texts by canonical name, including parameter aliases. */
  readonly texts: ReadonlyMap<string, string>;
  /** Returns the name of an option as the request spells it, by its canonical name. */
  readonly written: (name: string) => string;
};

const extensionNames: ReadonlyMap<string, string> = new Map(
  extensions.flatMap((name) => [
    [name, name],
    [name.slice(1), name],
  ]),
);

const noTexts: OptionTexts = { options: parse(""), texts: new Map(), written: (name) => name };

/**
 * Splits a query string. The extensions are recognised like system options: in any letter case, with or without a dollar sign.
 *
 * @param ownOptions the host's options by name, in lower case; they are recognised in any letter case
 * @throws {QueryError}
 */
export function readOptionTexts(
  query: string,
  ownOptions: Pick<ReadonlyMap<string, unknown>, "has">,
): OptionTexts {
  if (query === "") return noTexts;
  const options = parse(query);
  const texts = new Map<string, string>();
  const writings = new Map<string, string>();
  for (const [name, { text, written }] of [...options.system, ...options.aliases]) {
    texts.set(name, text);
    writings.set(name, written);
  }
  for (const { name: written, value } of options.custom) {
    const lower = written.toLowerCase();
    const name = extensionNames.get(lower) ?? (ownOptions.has(lower) ? lower : undefined);
    if (name === undefined) continue;
    if (texts.has(name)) throw new QueryError("duplicate_option", null, { name }, written);
    texts.set(name, value ?? "");
    writings.set(name, written);
  }
  return { options, texts, written: (name) => writings.get(name) ?? name };
}

/** Splits `query`. The target of an error about an option's name is the name as the request spells it. */
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

/** Returns the second spelling of a repeated option: for `$TOP=1&top=2` it is `top`. */
function secondWriting(query: string, name: string): string {
  const plain = (written: string) =>
    written.startsWith("@") ? written : written.replace("$", "").toLowerCase();
  const writings = [...new URLSearchParams(query).keys()].filter((written) => plain(written) === plain(name));
  return writings[1] ?? name;
}
