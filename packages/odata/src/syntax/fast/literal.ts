import { parseGeo } from "../geo.ts";
import type { SyntaxNode } from "../tree.ts";
import { closingQuote, spells } from "./characters.ts";

const enumMembers = /^(?:[A-Za-z_]\w*|[+-]?\d+)(?:,(?:[A-Za-z_]\w*|[+-]?\d+))*$/;
const simpleDuration = /^-?P(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?$(?<!P)/i;

/** Parses the string literal that starts at `start`. */
export function stringAt(text: string, start: number): SyntaxNode | undefined {
  const close = closingQuote(text, start);
  if (close < 0) return undefined;
  const raw = text.slice(start + 1, close);
  const value = raw.includes("'") ? raw.replaceAll("''", "'") : raw;
  return { kind: "Literal", start, end: close + 1, type: "String", value };
}

/**
 * Parses a literal with a prefix, such as `duration'…'` or `Ns.Type'…'`. The prefix starts at `start`, the quote is
 * at `open`.
 */
export function prefixedAt(text: string, start: number, open: number): SyntaxNode | undefined {
  const close = closingQuote(text, open);
  if (close < 0) return undefined;
  const prefix = text.slice(start, open);
  const end = close + 1;
  if (prefix.includes(".")) {
    const value = text.slice(open + 1, close);
    return enumMembers.test(value) ? { kind: "Enum", start, end, typeName: prefix, value } : undefined;
  }
  const family = prefix.toLowerCase();
  if (family === "geography" || family === "geometry") {
    const geo = parseGeo(text, open + 1, close, family);
    return "fault" in geo ? undefined : { kind: "Geo", start, end, family, srid: geo.srid, shape: geo.shape };
  }
  if (family !== "duration") return undefined;
  const value = text.slice(open + 1, close);
  return simpleDuration.test(value) ? { kind: "Literal", start, end, type: "Duration", value } : undefined;
}

/** Parses the word between `start` and `end` as a literal; returns null if it is not one. */
export function wordAt(text: string, start: number, end: number): SyntaxNode | null {
  if (end - start === 4) {
    if (spells(text, start, end, "true"))
      return { kind: "Literal", start, end, type: "Boolean", value: true };
    if (spells(text, start, end, "null")) return { kind: "Literal", start, end, type: "Null", value: null };
  } else if (end - start === 5 && spells(text, start, end, "false")) {
    return { kind: "Literal", start, end, type: "Boolean", value: false };
  }
  return null;
}
