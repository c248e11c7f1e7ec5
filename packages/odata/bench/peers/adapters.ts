import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

type Parse = (text: string, options?: unknown) => unknown;

/** What the peers export, by the names that the adapters use. */
type Exports = Readonly<Record<"filter" | "parse" | "parseFilter", Parse>> & {
  readonly defaultParser: { readonly filter: Parse };
};

/**
 * Package → how it reads a filter, by the shortest way that it has: without decoding, and without what it does
 * with the tree. A module with a longer path is taken from inside the package.
 */
const adapters: Readonly<Record<string, (module: Exports) => Parse>> = {
  "@balena/odata-parser": ({ parse }) => {
    const options = { startRule: "ProcessRule", rule: "FilterByExpression" };
    return (filter) => parse(filter, options);
  },
  "@odata/parser":
    ({ defaultParser }) =>
    (filter) =>
      defaultParser.filter(filter),
  "@sap/cds/libx/odata/parse/parser.js":
    ({ parse }) =>
    (filter) =>
      parse(`Property?$filter=${filter}`),
  "odata-filter-to-ast": ({ parseFilter }) => parseFilter,
  "odata-parser":
    ({ parse }) =>
    (filter) =>
      parse(`$filter=${filter}`),
  "odata-sequelize/odata-parser-generated.js":
    ({ parse }) =>
    (filter) =>
      parse(`$filter=${filter}`),
  "odata-v4-parser":
    ({ filter: parse }) =>
    (filter) =>
      parse(filter),
};

const require = createRequire(import.meta.url);

/** The modules that have an adapter. */
export const peers: readonly string[] = Object.keys(adapters);

/** How a peer reads the text of `$filter`; it throws for what it does not accept. */
export async function peerParser(name: string): Promise<Parse> {
  const adapter = adapters[name];
  if (adapter !== undefined) return adapter(require(name) as Exports);
  // RESO's parser is not in the registry: `name` is the folder of a built checkout.
  const checkout = (await import(pathToFileURL(resolve(name, "dist/index.js")).href)) as Exports;
  return checkout.parseFilter;
}
