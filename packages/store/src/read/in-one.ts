import type { CompiledSql } from "@cadastre/odata";
import type { Dialect } from "@cadastre/odata/run";

/**
 * Joins statements, which stand in parentheses between pieces of text without values, to one. Numbered placeholders go on from one statement to
 * the next.
 */
export function inOne({ placeholder }: Dialect, parts: readonly (string | CompiledSql)[]): CompiledSql {
  const values: unknown[] = [];
  const texts = parts.map((part) => {
    if (typeof part === "string") return part;
    const before = values.length;
    values.push(...part.values);
    return part.text.replace(/\$(\d+)/g, (_, place: string) => placeholder(before + Number(place)));
  });
  return { text: texts.join(""), values };
}
