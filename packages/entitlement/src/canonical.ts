/**
 * The one text of a JSON value: members sorted, no white space. Numbers here are integers and text is valid
 * Unicode, for which `JSON.stringify` writes what the standard asks.
 * Source: RFC 8785, JSON Canonicalization Scheme.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, item]) => `${JSON.stringify(name)}:${canonicalJson(item)}`).join(",")}}`;
}

/**
 * Whether a text is the canonical one of the JSON value that was read from it, whose names begin with letters. Costs
 * a third of writing it anew.
 */
export const isCanonical = (text: string, value: unknown): boolean =>
  JSON.stringify(value) === text && isSorted(value);

/** Whether the members of every object are in order. `__proto__` is in no order: readers pass it over. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let before = "";
  for (const [name, item] of Object.entries(value)) {
    if (name <= before || name === "__proto__" || !isSorted(item)) return false;
    before = name;
  }
  return true;
}
