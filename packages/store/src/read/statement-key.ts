import type { CompiledSql } from "@cadastre/odata";

/** Longest key to look up, in characters: a longer statement is run each time. */
const longest = 10_000;

/** Returns a key that tells statements and their values apart; undefined if it would be too long. */
export function statementKey({ text, values }: CompiledSql): string | undefined {
  const key = JSON.stringify([text, values.map(textOf)]);
  return key.length > longest ? undefined : key;
}

const textOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return { integer: String(value) };
  return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;
};
