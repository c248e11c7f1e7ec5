import type { z } from "zod";

type Issue = z.core.$ZodRawIssue;

/** Descriptions of types, to follow "must be". */
const types: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object with members",
  record: "an object with members",
};

const units: Readonly<Record<string, string>> = { string: "characters", array: "items" };

const bound = (origin: unknown, words: string, value: unknown): string => {
  const unit = units[String(origin)];
  return unit === undefined
    ? `must be ${words} ${String(value)}`
    : `must have ${words} ${String(value)} ${unit}`;
};

/** Messages by the code of the issue. */
const messages: Readonly<Record<string, (issue: Issue) => string>> = {
  invalid_type: ({ input, expected }) =>
    `${input === undefined ? "is missing: " : ""}must be ${types[String(expected)] ?? String(expected)}`,
  too_small: ({ origin, minimum }) => bound(origin, "at least", minimum),
  too_big: ({ origin, maximum }) => bound(origin, "at most", maximum),
  invalid_value: ({ values }) =>
    `must be ${(values as readonly unknown[])
      .map(String)
      .join(", ")
      .replace(/, ([^,]*)$/, " or $1")}`,
  invalid_key: () => "has a name that is not allowed",
  unrecognized_keys: ({ keys }) =>
    `has no member ${(keys as readonly string[]).map((key) => `\`${key}\``).join(", ")}: leave it out`,
};

/**
 * Says what a value must be, for people: as the `error` option of a schema's `parse`. Messages that the schema has itself take precedence.
 */
export const issueWords = (issue: Issue): string =>
  messages[issue.code]?.(issue) ?? "does not have the form that is allowed here";
