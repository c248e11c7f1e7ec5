import type { DialectName } from "@cadastre/odata/run";
import type { InstantStorage } from "../model/property.ts";
import type { ColumnFacts } from "./table-facts.ts";

/** Declarations by declared type, for both databases. */
const declarations: readonly (readonly [RegExp, (column: ColumnFacts) => string])[] = [
  [/^(?:smallint|int2)$/, () => "smallInteger()"],
  [/^(?:bigint|int8)$/, () => "bigInteger()"],
  [/^(?:integer|int|int4|mediumint|tinyint)$/, () => "integer()"],
  [/^(?:boolean|bool)$/, () => "boolean()"],
  [/^(?:real|float4|double precision|double|float|float8)$/, () => "double()"],
  [/^uuid$/, () => "guid()"],
  [/^date$/, () => "date()"],
  [/^time(?: without time zone)?$/, () => "timeOfDay()"],
  [
    /^(?:varchar|character varying|char|character|nchar|nvarchar)$/,
    ({ facets: [length] }) => `text(${length ?? ""})`,
  ],
  [/^(?:text|clob|)$/, () => "text()"],
];

/** A decimal without a declared precision may have any; in SQLite it is a double then. */
function decimalText({ facets: [precision, scale = 0] }: ColumnFacts, isSqlite: boolean): string {
  if (precision === undefined) return isSqlite ? "double()" : "decimal()";
  return `decimal(${precision}, ${scale}${isSqlite ? ', "double"' : ""})`;
}

/** Returns the declaration of a column by its type alone; undefined if no type of OData fits for certain. */
export function declarationOf(column: ColumnFacts, database: DialectName): string | undefined {
  const { type } = column;
  if (/^(?:numeric|decimal)$/.test(type)) return decimalText(column, database === "sqlite");
  if (type === "timestamp with time zone" && database === "postgres") return "instant()";
  return declarations.find(([pattern]) => pattern.test(type))?.[1](column);
}

/** The declaration of a column, or the reason why it has none. */
export type DeclaredColumn =
  | {
      readonly text: string;
      /** True if `text` names the column itself, in an expression. */
      readonly isExpression?: boolean;
    }
  | {
      /** End of a sentence whose subject is the column. */
      readonly reason: string;
    };

/** Returns the declaration of a column by its type and, where they were read, its values. */
export function declareColumn(column: ColumnFacts, database: DialectName): DeclaredColumn {
  const { type, examples } = column;
  if (examples !== undefined && /^(?:datetime|timestamp)/.test(type)) return declareInstant(column);
  if (column.isEnum === true)
    return { text: `text().column(${columnExpression(column.name, "", "::text")})`, isExpression: true };
  if (type === "timestamp without time zone")
    return {
      reason: `is of the type \`${type}\`: if its values are in UTC, declare it as \`instant().column(${columnExpression(column.name, "", " at time zone 'UTC'")})\``,
    };
  const text = declarationOf(column, database);
  if (text === undefined)
    return { reason: `is of the type \`${type}\`, which does not say how its values are to be read` };
  const misfit = misfitOf(text, examples ?? []);
  if (misfit === undefined) return { text };
  // SQLite has 64 bits for every type of integers.
  if (text.endsWith("nteger()") && misfitOf("bigInteger()", examples ?? []) === undefined)
    return { text: "bigInteger()" };
  return {
    reason: `is of the type \`${type}\`, and has values of the form \`${formOf(misfit)}\`, which \`${text}\` does not read`,
  };
}

/** Prints an SQL expression of a column as a fragment. In a template, a backslash, a backtick or a dollar sign would be more than itself. */
export const columnExpression = (column: string, before: string, after: string): string =>
  `sql\`${before}"${column.replaceAll('"', '""').replaceAll(/[\\`$]/g, "\\$&")}"${after}\``;

/** Returns the form of a value, as what is in a database is not for a source file: `2026-03-01 Noon` → `0000-00-00 Aaaa`. */
function formOf(value: unknown): string {
  if (value instanceof Uint8Array) return "binary";
  const text = typeof value === "string" ? value : String(value as number | bigint);
  return text
    .replaceAll(/\p{Lu}/gu, "A")
    .replaceAll(/\p{L}/gu, (letter) => (letter === "A" ? "A" : "a"))
    .replaceAll(/\p{N}/gu, "0");
}

const isText =
  (pattern: RegExp) =>
  (value: unknown): boolean =>
    typeof value === "string" && pattern.test(value);

/** Knex and better-sqlite3 return integers as numbers, or as bigints if they are told to. */
const isInteger =
  (bits: number) =>
  (value: unknown): boolean =>
    (typeof value === "bigint" || Number.isInteger(value)) && Math.abs(Number(value)) < 2 ** (bits - 1);

/** Tests whether a value of SQLite is read by a declaration, by the name of its function. */
const reads: Readonly<Record<string, (value: unknown) => boolean>> = {
  smallInteger: isInteger(16),
  integer: isInteger(32),
  bigInteger: isInteger(65),
  boolean: (value) => Number(value) === 0 || Number(value) === 1,
  double: (value) => typeof value === "number" || typeof value === "bigint",
  decimal: (value) => typeof value === "number" || typeof value === "bigint",
  guid: isText(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
  date: isText(/^\d{4}-\d\d-\d\d$/),
  timeOfDay: isText(/^\d\d:\d\d:\d\d(?:\.\d{0,11}[1-9])?$/),
  text: (value) => typeof value === "string",
};

/** Returns the first value that a declaration does not read. */
function misfitOf(declaration: string, values: readonly unknown[]): unknown {
  const isRead = reads[/^\w+/.exec(declaration)?.[0] ?? ""];
  return isRead && values.find((value) => !isRead(value));
}

/** Instants in milliseconds since 1970 are greater from 1973 on; in seconds they are not until the year 5138. */
const leastMilliseconds = 100_000_000_000;

const instantTexts: readonly (readonly [InstantStorage, RegExp])[] = [
  ["iso-text", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
  ["iso-text-seconds", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/],
];

/** Returns how SQLite stores the instants of a column. Undefined if they are not all stored in one way. */
function storageOf(examples: readonly unknown[]): InstantStorage | undefined {
  if (examples.every(isInteger(65)))
    return examples.some((one) => Math.abs(Number(one)) > leastMilliseconds) ? "milliseconds" : "seconds";
  return instantTexts.find(([, pattern]) => examples.every(isText(pattern)))?.[0];
}

/** As `current_timestamp` of SQLite writes instants, in UTC; programs write local times in this way too. */
const spacedText = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

function declareInstant({ name, type, examples = [] }: ColumnFacts): DeclaredColumn {
  const storage = examples.length === 0 ? undefined : storageOf(examples);
  if (storage !== undefined) return { text: `instant("${storage}")` };
  const start = `is of the type \`${type}\`, and`;
  if (examples.length === 0)
    return {
      reason: `${start} has no values that tell how instants are stored: declare it as \`instant("…")\``,
    };
  if (!examples.every(isText(spacedText)))
    return {
      reason: `${start} its values, such as those of the form \`${formOf(examples[0])}\`, are not all stored in one way that \`instant("…")\` names`,
    };
  return {
    reason: `${start} its values, of the form \`0000-00-00 00:00:00\`, do not tell their time zone: if it is UTC, declare it as \`instant("iso-text-seconds").column(${columnExpression(name, "strftime('%Y-%m-%dT%H:%M:%SZ', ", ")")})\``,
  };
}
