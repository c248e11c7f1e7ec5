import { QueryError } from "../errors.ts";
import type { PrimitiveType } from "../model/types.ts";
import { codecs } from "../model/values.ts";
import { textLiteral } from "../syntax/print/literal.ts";
import type { SyntaxNode } from "../syntax/tree.ts";
import { behindAliases } from "./alias.ts";
import type { Context } from "./context.ts";
import type { BoundType } from "./tree.ts";
import { isNumeric, itemType } from "./typing.ts";

/** Maximum length of a value that a hint repeats, in UTF-16 code units. */
const longestValue = 40;

/** The details of an error with a hint; none without one. */
export const hintDetails = (hint: string | undefined): { readonly hint?: string } =>
  hint === undefined ? {} : { hint };

const write = (value: string): string | undefined =>
  value.length > longestValue ? undefined : `write \`${value}\``;

/** Begins a shape as well-known text, with or without a reference system: `SRID=4326;POINT(1 2)`. */
const shape = /^(?:SRID=\d{1,5};)?(?:POINT|LINESTRING|POLYGON|MULTI\w{1,20})[ ]?\(/i;

/** Returns the hint for a shape as a text, where a geography is expected. */
export function shapeHint(node: SyntaxNode, context: Context): string | undefined {
  const value = textOf(node, context);
  if (value === undefined || !shape.test(value)) return undefined;
  return write(`geography'${value}'`) ?? "write `geography` before its quotes";
}

/** Returns the value of a text literal, or an alias of one. */
function textOf(node: SyntaxNode, context: Context): string | undefined {
  const literal = behindAliases(node, context);
  return literal?.kind === "Literal" && literal.type === "String" ? String(literal.value) : undefined;
}

/**
 * Returns how to write a literal beside a value of another type, as other services would have it: `2026-01-01` beside a timestamp is
 * `2026-01-01T00:00:00Z`. Undefined if `node` is no literal, or nothing is known to help.
 */
export function literalHint(node: SyntaxNode, other: BoundType, context: Context): string | undefined {
  const literal = behindAliases(node, context);
  if (literal?.kind !== "Literal" || typeof other !== "string") return undefined;
  const value = String(literal.value);
  if (literal.type === "String") return textHint(value, other, context, literal);
  if (other === "Edm.String") return literal.type === "Null" ? undefined : write(textLiteral(value));
  if (literal.type === "Date" && other === "Edm.DateTimeOffset") return write(`${value}T00:00:00Z`);
  if (literal.type === "DateTimeOffset" && other === "Edm.Date")
    return write(value.slice(0, value.indexOf("T")));
  return undefined;
}

function textHint(value: string, other: string, context: Context, node: SyntaxNode): string | undefined {
  if (itemType(other as BoundType) !== undefined)
    return "compare its items, such as `Names/any(name:name eq 'x')`, or use `has`";
  if (value === "") return "a missing value is `null`";
  if (other.startsWith("Edm.Geo")) return shapeHint(node, context);
  const type = other as PrimitiveType;
  if (!Object.hasOwn(codecs, type)) return undefined;
  if (type === "Edm.DateTimeOffset" && codecs["Edm.Date"].parse(value) !== undefined)
    return write(`${value}T00:00:00Z`);
  const isValue = codecs[type].parse(value) !== undefined;
  return isValue && (isNumeric(type) || quoteless.has(type)) ? write(value) : undefined;
}

/** Types whose literals are their values, without quotes. */
const quoteless: ReadonlySet<string> = new Set([
  "Edm.Boolean",
  "Edm.Date",
  "Edm.DateTimeOffset",
  "Edm.TimeOfDay",
  "Edm.Guid",
]);

/** Runs `bind` for a node where a text is expected. An unknown name is then most likely a text without its quotes, which the error adds. */
export function withQuotesHint<T>(node: SyntaxNode, bind: () => T): T {
  try {
    return bind();
  } catch (error) {
    if (node.kind !== "Name" || !(error instanceof QueryError) || error.code !== "unknown_property")
      throw error;
    const hint = `if it is a text, ${write(textLiteral(node.name)) ?? "write it in single quotes"}`;
    throw new QueryError(error.code, error.span, { ...error.details, hint }, error.option, error.use);
  }
}
