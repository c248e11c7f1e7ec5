/** Returns `tree` without its spans, for comparisons that ignore positions. */
export function spanless(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(spanless);
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([name]) => name !== "start" && name !== "end")
      .map(([name, value]) => [name, spanless(value)]),
  );
}
