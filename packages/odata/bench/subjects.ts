import type { BoundQuery } from "../src/index.ts";
import type { DialectName } from "../src/run/index.ts";
import { listings } from "./listings.ts";
import { peerParser, peers } from "./peers/adapters.ts";
import { variantsOf } from "./variants.ts";

/** What is measured: for a filter, the call to repeat. */
type Subject = (filter: string) => () => unknown;
type Compile = (query: BoundQuery) => unknown;

/** The package as it is published, compiled by `build()` of `processes.ts`. */
export const builtFolder = new URL("../node_modules/.cache/bench/", import.meta.url);
const built = (file: string): string => new URL(file, builtFolder).href;

const odata = async () => (await import(built("index.js"))) as typeof import("../src/index.ts");
const grammar = async () =>
  (await import(built("syntax/grammar/index.js"))) as typeof import("../src/syntax/grammar/index.ts");

/** Calls `compile` with one variant of a bound query after another. */
const compiling =
  ({ bindQuery, parseFilter, parseSelect }: Awaited<ReturnType<typeof odata>>, compile: Compile): Subject =>
  (filter) => {
    const select = parseSelect("ListingKey");
    const queries = variantsOf(filter).map((text) =>
      bindQuery({ filter: parseFilter(text), select, top: 100 }, listings),
    );
    let next = 0;
    return () => {
      next = (next + 1) % queries.length;
      return compile(queries[next] as BoundQuery);
    };
  };

const compiler = (dialect: DialectName) => async (): Promise<Subject> => {
  const library = await odata();
  const mapping = library.tableMapping("property");
  return compiling(library, (query) => library.compilePage(query, library[dialect], mapping));
};

const cachedCompiler = (dialect: DialectName) => async (): Promise<Subject> => {
  const library = await odata();
  const { page } = library.cachedCompiler(library[dialect], library.tableMapping("property"));
  return compiling(library, page);
};

/** What this package does with a filter. */
const own = {
  parse: async (): Promise<Subject> => {
    const { parseFilter } = await odata();
    return (filter) => () => parseFilter(filter);
  },
  "parse, any length": async (): Promise<Subject> => {
    const { defaultLimits, parseFilter } = await odata();
    const limits = { ...defaultLimits, textLength: Number.POSITIVE_INFINITY };
    return (filter) => () => parseFilter(filter, limits);
  },
  "parse, bind": async (): Promise<Subject> => {
    const { bindFilter, parseFilter } = await odata();
    return (filter) => () => bindFilter(parseFilter(filter), listings);
  },
  grammar: async (): Promise<Subject> => {
    const [{ defaultLimits }, { expressionByGrammar }] = await Promise.all([odata(), grammar()]);
    return (filter) => () => expressionByGrammar(filter, defaultLimits);
  },
  SQLite: compiler("sqlite"),
  "SQLite, cached shape": cachedCompiler("sqlite"),
  PostgreSQL: compiler("postgres"),
  "PostgreSQL, cached shape": cachedCompiler("postgres"),
} as const satisfies Record<string, () => Promise<Subject>>;
type Own = keyof typeof own;

/** The columns of `language.ts`. */
export const stages = ["parse", "parse, bind", "grammar"] as const satisfies readonly Own[];

/** The columns of `compile.ts`. */
export const compilers = [
  "SQLite",
  "SQLite, cached shape",
  "PostgreSQL",
  "PostgreSQL, cached shape",
] as const satisfies readonly Own[];

const isOwn = (name: string): name is Own => Object.hasOwn(own, name);

/** A way of this package, or the parser of the peer of that name. */
export async function subjectOf(name: string): Promise<Subject> {
  if (isOwn(name)) return own[name]();
  const parse = await peerParser(name);
  return (filter) => () => parse(filter);
}

/** What to call a subject in a table. */
export function titleOf(subject: string): string {
  if (isOwn(subject)) return `**this package**: ${subject}`;
  if (!peers.includes(subject)) return "RESO's odata-expression-parser";
  return subject
    .split("/")
    .slice(0, subject.startsWith("@") ? 2 : 1)
    .join("/");
}
