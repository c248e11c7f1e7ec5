import type { CompiledSql } from "../../src/index.ts";

/** A statement as a golden file shows it: what it is of, its text, its values. */
export function show(input: string, { text, values }: CompiledSql): string {
  const printed = JSON.stringify(values, (_key, v: unknown) => (typeof v === "bigint" ? `${v}n` : v));
  return `-- ${input}\n${text}\n-- ${printed}\n`;
}
