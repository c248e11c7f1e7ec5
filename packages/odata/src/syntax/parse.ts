import { ExpressionReader, parseFast } from "./fast/expression.ts";
import { withEncoded } from "./grammar/encoded.ts";
import {
  applyByGrammar,
  computeByGrammar,
  expandByGrammar,
  expressionByGrammar,
  orderByByGrammar,
  searchByGrammar,
  selectByGrammar,
} from "./grammar/index.ts";
import type { ComputeItem, Direction, ExpandItem, OrderByItem, SelectItem, Transformation } from "./items.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import type { SearchNode, Span, SyntaxNode } from "./tree.ts";

/*
 * Every function takes the decoded text of one option, without its name, and may throw a QueryError with the
 * code `syntax_error`, `invalid_literal`, `duplicate_option` or `query_too_complex` and the span of the fault.
 */

const nul = "\0";

/**
 * True if the fast path may parse `text`. Text that is too long or contains U+0000 goes to the grammar, which
 * refuses it.
 */
const canUseFastPath = (text: string, limits: Limits): boolean =>
  text.length <= limits.textLength && !text.includes(nul);

/** Parses a common expression, such as the value of a parameter alias. */
export function parseExpression(text: string, limits: Limits = defaultLimits): SyntaxNode {
  const tree = canUseFastPath(text, limits) ? parseFast(text, limits) : undefined;
  return tree ?? expressionByGrammar(text, limits);
}

/** Parses the text of `$filter`. Whether it is a Boolean expression is checked when it is bound. */
export const parseFilter = (text: string, limits: Limits = defaultLimits): SyntaxNode =>
  parseExpression(text, limits);

const directed = /[ \t]+(asc|desc)$/i;

function orderByFast(text: string, limits: Limits): readonly OrderByItem[] | undefined {
  const items: OrderByItem[] = [];
  const reader = new ExpressionReader(text, limits);
  let at = 0;
  for (;;) {
    const expression = reader.expressionAt(at);
    if (expression === undefined) return undefined;
    const comma = text.indexOf(",", reader.at);
    const end = comma < 0 ? text.length : comma;
    const rest = text.slice(reader.at, end);
    const word = directed.exec(rest)?.[1];
    if (rest !== "" && (word === undefined || rest.trim() !== word)) return undefined;
    items.push({ start: at, end, expression, direction: (word?.toLowerCase() ?? "asc") as Direction });
    if (items.length > limits.orderByItems) return undefined;
    if (comma < 0) return items;
    at = comma + 1;
    while (text.charCodeAt(at) === 32) at += 1;
  }
}

/** Parses the text of `$orderby`. */
export function parseOrderBy(text: string, limits: Limits = defaultLimits): readonly OrderByItem[] {
  const items = canUseFastPath(text, limits) ? orderByFast(text, limits) : undefined;
  return items ?? orderByByGrammar(text, limits);
}

const plainNames = /^[A-Za-z_]\w{0,127}(?:, *[A-Za-z_]\w{0,127})*$/;

/** Parses a list that consists of plain names only; returns undefined for any other text. */
function namesFast<T>(
  text: string,
  limits: Limits,
  itemOf: (name: string, span: Span) => T,
): readonly T[] | undefined {
  if (!canUseFastPath(text, limits) || !plainNames.test(text)) return undefined;
  let at = 0;
  return text.split(",").map((part) => {
    const name = part.trimStart();
    const end = at + part.length;
    at = end + 1;
    return itemOf(name, { start: end - name.length, end });
  });
}

const selectItem = (name: string, { start, end }: Span): SelectItem => ({
  start,
  end,
  path: [name],
  parameters: null,
  options: null,
});

const expandItem = (name: string, { start, end }: Span): ExpandItem => ({
  start,
  end,
  path: [name],
  suffix: null,
  options: null,
});

/** Parses the text of `$select`. */
export function parseSelect(
  text: string,
  limits: Limits = defaultLimits,
  encoded?: ReadonlySet<number>,
): readonly SelectItem[] {
  const items = namesFast(text, limits, selectItem);
  return items ?? withEncoded(encoded, () => selectByGrammar(text, limits));
}

/** Parses the text of `$expand`. */
export function parseExpand(
  text: string,
  limits: Limits = defaultLimits,
  encoded?: ReadonlySet<number>,
): readonly ExpandItem[] {
  const items = namesFast(text, limits, expandItem);
  return items ?? withEncoded(encoded, () => expandByGrammar(text, limits));
}

/**
 * Parses the text of `$search`.
 *
 * `encoded` holds the offsets of characters that were percent-encoded: a semicolon at such an offset is part of a
 * word.
 */
export function parseSearch(
  text: string,
  limits: Limits = defaultLimits,
  encoded?: ReadonlySet<number>,
): SearchNode {
  return withEncoded(encoded, () => searchByGrammar(text, limits));
}

/** Parses the text of `$compute`. */
export function parseCompute(text: string, limits: Limits = defaultLimits): readonly ComputeItem[] {
  return computeByGrammar(text, limits);
}

/** Parses the text of `$apply`. */
export function parseApply(text: string, limits: Limits = defaultLimits): readonly Transformation[] {
  return applyByGrammar(text, limits);
}
