const keys = Array.from({ length: 100_000 }, (_, i) => `'K${1_000_000 + i}'`);

/** Filters that are large where a parser recurses or collects. */
export const hostile: Readonly<Record<string, string>> = {
  "100,000 parentheses": `${"(".repeat(100_000)}ListPrice gt 1${")".repeat(100_000)}`,
  "10,000 `not`": `${"not ".repeat(10_000)}(ListPrice gt 1)`,
  "list of 100,000 (1.1 MB)": `ListingKey in (${keys.join(",")})`,
};
