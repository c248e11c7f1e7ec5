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

/**
 * Returns the `create function` statements, in order, of the functions that compiled queries call. They belong in a
 * schema of the search path; running them again is harmless. The database encoding must be UTF-8.
 */
export const postgresHelpers = (): readonly string[] => helperFiles.flatMap(helpersOf);
