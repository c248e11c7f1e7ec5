import { QueryError } from "../errors.ts";
import type { AliasNode, SyntaxNode } from "../syntax/tree.ts";
import { isOpen } from "./alias-limits.ts";
import type { Context } from "./context.ts";

/**
 * Runs `bind` on the value of a parameter alias. Its errors are located in the alias.
 *
 * @throws {QueryError} `unknown_alias`, also inside the alias's own value, which rules out cycles.
 */
export function inAliasValue<T>(
  node: AliasNode,
  context: Context,
  bind: (value: SyntaxNode, inner: Context) => T,
): T {
  const { aliases, openAlias } = context;
  const { name } = node;
  const value = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (value === undefined || isOpen(name, openAlias)) throw new QueryError("unknown_alias", node, { name });
  try {
    return bind(value, { ...context, openAlias: { name, outer: openAlias } });
  } catch (error) {
    throw error instanceof QueryError ? error.inAlias(name, node) : error;
  }
}

/** Returns the value of a node after following parameter aliases; undefined if it ends in no value. */
export function behindAliases(node: SyntaxNode, { aliases }: Context): SyntaxNode | undefined {
  const seen = new Set<SyntaxNode>();
  let value: SyntaxNode | undefined = node;
  while (value?.kind === "Alias") {
    if (seen.has(value)) return undefined;
    seen.add(value);
    value = Object.hasOwn(aliases, value.name) ? aliases[value.name] : undefined;
  }
  return value;
}
