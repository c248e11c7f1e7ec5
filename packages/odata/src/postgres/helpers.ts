import { foldCaseMapping, lowerCaseMapping, upperCaseMapping } from "../functions/case-mapping.ts";
import { longestWord, wordClass } from "../functions/words.ts";
import { sqlFileText } from "./sql-files.ts";

/** Files of `functions/`, without their extension, in the order in which their functions call each other. */
export const helperFiles = [
  "text",
  "search",
  "pattern",
  "collection",
  "geo",
  "polygon",
  "number",
  "double",
  "temporal",
  "read",
  "print",
  "item",
] as const;

const characters = (codes: Iterable<number>): string => String.fromCodePoint(...codes);

/** Values that the files name as `${name}`: those computed from a table, or too long to read. */
const values = {
  lowerCaseFrom: () => characters(lowerCaseMapping().keys()),
  lowerCaseTo: () => characters(lowerCaseMapping().values()),
  upperCaseFrom: () => characters(upperCaseMapping().keys()),
  upperCaseTo: () => characters(upperCaseMapping().values()),
  foldCaseFrom: () => characters(foldCaseMapping().keys()),
  foldCaseTo: () => characters(foldCaseMapping().values()),
  wordClass,
  longestWord: () => String(longestWord),
  /** Numbers from here on round to infinity as doubles. */
  tooGreat: () => String(2n ** 1024n - 2n ** 970n),
  /** Numbers up to here round to zero as doubles. */
  tooSmall: () => `${5n ** 1075n}e-1075`,
} as const;

const statement = /^create or replace function .*? as \$\$.*?\$\$(?=;$)/gms;

/** Returns the statements of a file in `functions/`, without the comments between them. */
export const helpersOf = (file: (typeof helperFiles)[number]): readonly string[] =>
  Array.from(
    sqlFileText(file).matchAll(statement),
    ([text]) => `\n${text.replaceAll(/\$\{(\w+)\}/g, (_, name: keyof typeof values) => values[name]())}`,
  );

/** A function of this package where it is created or called. */
const own = /\bcadastre_\w+(?=\()/g;

/** Returns a statement with the schema before the name of each function that it creates or calls. */
function qualified(text: string, schema: string): string {
  // The bodies are quoted by dollar signs.
  if (schema.includes("$")) throw new RangeError(`the name of the schema contains a dollar sign: ${schema}`);
  const prefix = `"${schema.replaceAll('"', '""')}".`;
  return text.replaceAll(own, (name) => prefix + name);
}

/**
 * Returns the `create function` statements, in order, of the functions that compiled queries call. Running them again is harmless. The
 * database encoding must be UTF-8.
 *
 * @param schema schema to create them in, which must be on the search path of queries. The functions then call each other by qualified
 * names, so that indexes on them can be restored and analyzed: `pg_restore` and autovacuum set an empty search path. By default they
 * are created in the first schema of the search path, and call each other by plain names
 */
export const postgresHelpers = (schema?: string): readonly string[] => {
  const all = helperFiles.flatMap(helpersOf);
  return schema === undefined ? all : all.map((text) => qualified(text, schema));
};
