import { QueryError } from "../errors.ts";
import { children } from "../syntax/children.ts";
import {
  defaultLimits,
  type Limits,
  parseApply,
  parseCompute,
  parseExpand,
  parseExpression,
  parseFilter,
  parseOrderBy,
  parseSearch,
  parseSelect,
} from "../syntax/index.ts";
import { tooComplex } from "../syntax/limits.ts";
import type { SyntaxNode } from "../syntax/tree.ts";
import type { SystemOptionName } from "./decode.ts";
import type { OptionText, QueryOptions } from "./query-options.ts";

function wholeNumber(name: SystemOptionName, pattern: RegExp, expected: string) {
  return ({ text }: OptionText): number => {
    if (pattern.test(text)) return Number(text);
    throw new QueryError(
      "invalid_option",
      { start: 0, end: text.length },
      { name, expected, text: clip(text) },
    );
  };
}

function matching(name: SystemOptionName, pattern: RegExp, expected: string) {
  return ({ text }: OptionText): string => {
    if (pattern.test(text)) return text;
    throw new QueryError(
      "invalid_option",
      { start: 0, end: text.length },
      { name, expected, text: clip(text) },
    );
  };
}

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

function truth({ text }: OptionText): boolean {
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  const details = { name: "$count", expected: "`true` or `false`", text: clip(text) };
  throw new QueryError("invalid_option", { start: 0, end: text.length }, details);
}

const levels = matching("$levels", /^(?:[1-9]\d{0,8}|max)$/i, "a number from 1 on, or `max`");
const count = /^\d{1,15}$/;
const pointOfTime = ({ text }: OptionText, limits: Limits): SyntaxNode => parseExpression(text, limits);

/** The parser of each system query option. */
const readers = {
  $apply: ({ text }: OptionText, limits: Limits) => parseApply(text, limits),
  $at: pointOfTime,
  $compute: ({ text }: OptionText, limits: Limits) => parseCompute(text, limits),
  $count: truth,
  $deltatoken: matching("$deltatoken", /^[^\0]+$/, "a token"),
  $expand: ({ text, encoded }: OptionText, limits: Limits) => parseExpand(text, limits, encoded),
  $filter: ({ text }: OptionText, limits: Limits) => parseFilter(text, limits),
  $format: matching(
    "$format",
    /^[\w!#$&^.+-]+(?:\/[\w!#$&^.+-]+)?(?:\s*;[^\0]*)?$/,
    "a media type, `json`, `xml` or `atom`",
  ),
  $from: pointOfTime,
  $id: matching("$id", /^[^\0\s]+$/, "an entity-id"),
  $index: wholeNumber("$index", /^-?\d{1,15}$/, "a whole number"),
  $levels: levels,
  $orderby: ({ text }: OptionText, limits: Limits) => parseOrderBy(text, limits),
  $schemaversion: matching("$schemaversion", /^(?:\*|[\w.~-]+)$/, "`*` or a version"),
  $search: ({ text, encoded }: OptionText, limits: Limits) => parseSearch(text, limits, encoded),
  $select: ({ text, encoded }: OptionText, limits: Limits) => parseSelect(text, limits, encoded),
  $skip: wholeNumber("$skip", count, "a whole number"),
  $skiptoken: matching("$skiptoken", /^[^\0]+$/, "a token"),
  $to: pointOfTime,
  $toInclusive: pointOfTime,
  $top: wholeNumber("$top", count, "a whole number"),
} as const satisfies Record<SystemOptionName, (option: OptionText, limits: Limits) => unknown>;

export type OptionValue<N extends SystemOptionName> = ReturnType<(typeof readers)[N]>;

/** Runs `read`, and adds the option's name to its errors. */
function within<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof QueryError ? error.in(name) : error;
  }
}

/**
 * Parses the value of one system query option; returns undefined if the option is absent. Other options are not
 * parsed.
 *
 * @throws {QueryError} With the option's name, and a span in its decoded text.
 */
export function readOption<N extends SystemOptionName>(
  options: QueryOptions,
  name: N,
  limits: Limits = defaultLimits,
): OptionValue<N> | undefined {
  const option = options.system.get(name);
  if (option === undefined) return undefined;
  const read = readers[name] as (option: OptionText, limits: Limits) => OptionValue<N>;
  return within(name, () => read(option, limits));
}

/**
 * Parses the value of the parameter alias `name` (with the at sign); returns undefined if the alias is absent.
 */
export function readAlias(
  options: QueryOptions,
  name: string,
  limits: Limits = defaultLimits,
): SyntaxNode | undefined {
  const alias = options.aliases.get(name);
  return alias && within(name, () => parseExpression(alias.text, limits));
}

/**
 * Parses the values of all parameter aliases and returns them by name. `limits` applies to each value; its text
 * length and node count also apply to all values together, because hundreds of aliases cost as much to parse as a
 * filter that contains their values.
 *
 * @throws {QueryError} With the name of the alias as its option, and a span in its decoded text.
 */
export function readAliases(
  options: QueryOptions,
  limits: Limits = defaultLimits,
): Readonly<Record<string, SyntaxNode>> {
  const values: [string, SyntaxNode][] = [];
  let [length, nodes] = [0, 0];
  const count = (node: SyntaxNode): void => {
    nodes += 1;
    for (const child of children(node)) count(child);
  };
  for (const [name, { text }] of options.aliases) {
    const refuse = (measure: "textLength" | "nodes") =>
      tooComplex(limits, measure, { start: 0, end: text.length }).in(name);
    length += text.length;
    if (length > limits.textLength) throw refuse("textLength");
    const value = within(name, () => parseExpression(text, limits));
    count(value);
    if (nodes > limits.nodes) throw refuse("nodes");
    values.push([name, value]);
  }
  return Object.fromEntries(values);
}
