export type JsonObject = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a member that is a text or a number, as text. Empty if it is neither. */
export function memberText(record: JsonObject, name: string): string {
  const value = record[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Texts that may hold a number which a double cannot: sixteen digits or more in a row. */
const mayLoseDigits = /\d{16}/;

type Source = { readonly source?: string };

/** Keeps a number that a double would change as its text. */
function keepDigits(this: unknown, _name: string, value: unknown, context?: Source): unknown {
  if (typeof value !== "number" || context?.source === undefined) return value;
  return String(value) === context.source || !/\d{16}/.test(context.source) ? value : context.source;
}

/** Parses JSON. A number that a double cannot hold, such as an Edm.Int64 beyond 2^53, becomes its text. */
export function parseExactJson(text: string): unknown {
  return mayLoseDigits.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}
