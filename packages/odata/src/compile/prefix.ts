import type { BoundCallNode, BoundNode } from "../bound/tree.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { CompileContext } from "./compile-context.ts";
import { compileOperand } from "./expression.ts";

/**
 * Compiles `startswith(property,'prefix')` to a range of texts, which an index can serve. Undefined for any other
 * call.
 */
export function compilePrefix(
  { entry, args }: BoundCallNode,
  target: CompileContext,
): SqlFragment | undefined {
  const [text, prefix] = args;
  if (entry.name !== "startswith" || entry.params[0] !== "Edm.String" || text === undefined) return undefined;
  if (!isColumn(text) || prefix?.kind !== "Constant") return undefined;
  const { dialect, values } = target;
  if (!values.examine([prefix], ([one]) => isPrefix(one))) return undefined;
  const { sql: compiled, form } = compileOperand(text, target);
  const operand = dialect.ordered(compiled, form);
  const bound = (by: (prefix: string) => unknown) =>
    dialect.operand(
      values.derive([prefix], ([one]) => by(String(one))),
      "Edm.String",
      form,
    );
  const from = sql`${operand} >= ${bound((one) => one)}`;
  const isLimited = values.examine([prefix], ([one]) => leastBeyond(String(one)) !== undefined);
  return isLimited ? sql`(${from} and ${operand} < ${bound(leastBeyond)})` : sql`(${from})`;
}

const isPrefix = (value: unknown): boolean => typeof value === "string" && value !== "";

/** True for columns. A computed text would be computed twice, once for each end of the range. */
const isColumn = (node: BoundNode): boolean =>
  node.kind === "Property"
    ? node.base === undefined
    : node.kind === "Call" && node.entry.name === "foldcase" && node.args.every(isColumn);

const lastCharacter = 0x10ffff;

/**
 * Returns the least text, by code point, that is greater than all texts that start with `prefix`; undefined if
 * there is none.
 */
export function leastBeyond(prefix: string): string | undefined {
  const characters = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  const place = characters.findLastIndex((code) => code < lastCharacter);
  if (place < 0) return undefined;
  const next = (characters[place] ?? 0) + 1;
  // Surrogates are not characters.
  return String.fromCodePoint(...characters.slice(0, place), next === 0xd800 ? 0xe000 : next);
}
