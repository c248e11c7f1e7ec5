import fc from "fast-check";
import { children } from "../../src/syntax/children.ts";
import { parseFilter, type SyntaxNode } from "../../src/syntax/index.ts";
import { filterTexts } from "./arbitraries.ts";
import { listing } from "./listing.ts";

/** A filter, and the same one with parameter aliases for parts of it and with casts to the declared type. */
export type Rewritten = {
  readonly plain: string;
  readonly text: string;
  readonly aliases: Readonly<Record<string, string>>;
};

/** Kinds of nodes that an alias can stand for. The items of a list must be literals. */
const aliased: ReadonlySet<SyntaxNode["kind"]> = new Set([
  "Literal",
  "Enum",
  "Geo",
  "Array",
  "Name",
  "Compare",
  "Arithmetic",
  "Call",
  "Case",
  "In",
  "Not",
]);

/** Nodes that another text may replace. `isOwn`: a bare name is a property of the entity. */
function replaceable(node: SyntaxNode, isOwn: boolean): readonly { node: SyntaxNode; isOwn: boolean }[] {
  if (node.kind === "List") return [];
  const inner = isOwn && node.kind !== "Lambda" && node.kind !== "Count";
  // The collection before a lambda operator is a path, and a text in an array has double quotes.
  const isFixed = ({ kind }: SyntaxNode): boolean =>
    (kind === "Name" && (node.kind === "Lambda" || node.kind === "Count")) ||
    (kind === "Literal" && node.kind === "Array");
  const below = children(node).filter((child) => !isFixed(child));
  const own = aliased.has(node.kind) && (node.kind !== "Name" || isOwn) ? [{ node, isOwn }] : [];
  return [...own, ...below.flatMap((child) => replaceable(child, inner))];
}

const casts = [
  (name: string) => `Demo.Property/${name}`,
  (name: string) => `$it/Any.Property/${name}`,
  (name: string) => `cast($it,Demo.Property)/${name}`,
] as const;

/** Replaces the parts of `plain` that `picks` choose: a property by a path with a cast, or any part by an alias. */
function rewrite(plain: string, picks: readonly number[]): Rewritten {
  const parts = replaceable(parseFilter(plain), true);
  const aliases: Record<string, string> = {};
  const chosen: { readonly start: number; readonly end: number; readonly by: string }[] = [];
  for (const [i, pick] of picks.entries()) {
    const part = parts[pick % Math.max(parts.length, 1)];
    if (part === undefined) continue;
    const { start, end, kind } = part.node;
    if (chosen.some((one) => start < one.end && one.start < end)) continue;
    const value = plain.slice(start, end);
    const cast = casts[pick % (casts.length + 1)];
    if (kind === "Name" && cast !== undefined && listing.type.properties.has(value)) {
      chosen.push({ start, end, by: cast(value) });
      continue;
    }
    const name = `@p${i}`;
    if (pick % 3 === 0) aliases[`${name}x`] = value;
    aliases[name] = pick % 3 === 0 ? `${name}x` : value;
    chosen.push({ start, end, by: name });
  }
  let text = plain;
  for (const { start, end, by } of chosen.toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start) + by + text.slice(end);
  return { plain, text, aliases };
}

/** Random filters over the test listing, each with a rewritten form of the same meaning. */
export const rewrittenFilters: fc.Arbitrary<Rewritten> = fc
  .tuple(filterTexts, fc.array(fc.nat(10_000), { minLength: 1, maxLength: 5 }))
  .map(([plain, picks]) => rewrite(plain, picks));
