type Json = Readonly<Record<string, unknown>>;

/**
 * Nests the properties of complex values in a row of a page, which `$select=Address/City` projects: `{ Address: 1,
 * "Address/City": "York" }` becomes `{ Address: { City: "York" } }`, and `{ Address: 0, "Address/City": null }` becomes
 * `{ Address: null }`.
 */
export function nestComplexValues(row: Json): Json {
  const names = Object.keys(row);
  const paths = names.filter((name) => name.includes("/"));
  if (paths.length === 0) return row;
  const complex = new Map<string, Record<string, unknown> | null>();
  const nested: Record<string, unknown> = {};
  // A complex value is projected before its properties.
  for (const name of names) {
    const end = name.lastIndexOf("/");
    const parent = end < 0 ? nested : (complex.get(name.slice(0, end)) ?? null);
    const isComplex = paths.some((path) => path.startsWith(`${name}/`));
    const value = isComplex ? (row[name] && parent !== null ? {} : null) : row[name];
    if (isComplex) complex.set(name, value as Record<string, unknown> | null);
    if (parent !== null) parent[name.slice(end + 1)] = value;
  }
  return nested;
}
