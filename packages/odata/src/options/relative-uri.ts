import { QueryError } from "../errors.ts";
import { defaultLimits, type Limits } from "../syntax/index.ts";
import { parseQueryOptions, type QueryOptionSettings, type QueryOptions } from "./query-options.ts";
import { type PathSegment, parseResourcePath } from "./resource-path.ts";

export type RelativeUri = { readonly path: readonly PathSegment[]; readonly options: QueryOptions };

/**
 * Options allowed for `$entity?$id=…`. If a type cast follows `$entity`, the options of any entity are allowed.
 */
const idOptions: ReadonlySet<string> = new Set(["$id", "$format"]);

/**
 * Parses a URI relative to the service root: the path, and the options after its `?`.
 *
 * Source: OData 4.01 ABNF, `odataRelativeUri`.
 */
export function parseRelativeUri(
  uri: string,
  limits: Limits = defaultLimits,
  settings: QueryOptionSettings = {},
): RelativeUri {
  const mark = uri.indexOf("?");
  const path = parseResourcePath(mark < 0 ? uri : uri.slice(0, mark), limits);
  const options = parseQueryOptions(mark < 0 ? "" : uri.slice(mark + 1), settings);
  const [first, second] = path;
  if (first?.kind === "System" && first.name === "$entity") {
    if (!options.system.has("$id")) {
      const details = { name: "$id", expected: "given with `$entity`", text: "" };
      throw new QueryError("invalid_option", null, details, "$id");
    }
    for (const name of second === undefined ? options.system.keys() : []) {
      if (!idOptions.has(name))
        throw new QueryError("conflicting_options", null, { name, other: "$entity" }, name);
    }
  }
  return { path, options };
}
