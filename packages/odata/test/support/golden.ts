import type { CompiledSql } from "../../src/index.ts";

/** Formats a statement for a golden file: its source, text and values. */
export function show(input: string, { text, values }: CompiledSql): string {
  const printed = JSON.stringify(values, (_key, v: unknown) => (typeof v === "bigint" ? `${v}n` : v));
  return `-- ${input}\n${text}\n-- ${printed}\n`;
}
