import type { Declared } from "./metadata.ts";
import type { ServedSet } from "./served.ts";

/** What a comparison is tried with: a field, and three of its values in order, as numbers and as literals. */
export type Sampled = {
  readonly field: string;
  readonly values: Readonly<Record<Place, number>>;
  readonly literals: Readonly<Record<Place, string>>;
};
type Place = "low" | "mid" | "high";

const numberTypes = {
  integer: "Edm.Int64",
  decimal: "Edm.Decimal",
  date: "Edm.Date",
  timestamp: "Edm.DateTimeOffset",
} as const;
export type NumberKind = keyof typeof numberTypes;

/** A value of a field of any such type as a number; instants and days in milliseconds. */
export function toNumber(value: unknown): number | null {
  if (value === null || typeof value === "number") return value;
  if (typeof value !== "string") throw new TypeError(`${JSON.stringify(value)} is no number and no time`);
  return Date.parse(value);
}

/**
 * The field of the kind that has the fewest nulls, of those with four values or more: there is something below,
 * between and above the values that are taken. Undefined if there is none.
 */
export function sampleNumbers({ properties, key, rows }: ServedSet, kind: NumberKind): Sampled | undefined {
  const candidates = [...properties.values()]
    .filter(({ type, collection, name }) => type === numberTypes[kind] && !collection && !key.includes(name))
    .map(({ name }) => ({ name, values: rows.map((row) => row[name]).filter((value) => value !== null) }))
    .filter(({ values }) => new Set(values).size >= 4)
    .sort((a, b) => b.values.length - a.values.length);
  const [best] = candidates;
  if (best === undefined) return undefined;
  const distinct = [...new Set(best.values)].sort((a, b) => (toNumber(a) ?? 0) - (toNumber(b) ?? 0));
  const taken = { low: distinct[1], mid: distinct[distinct.length >> 1], high: distinct.at(-1) };
  const map = <T>(of: (value: unknown) => T): Record<Place, T> => ({
    low: of(taken.low),
    mid: of(taken.mid),
    high: of(taken.high),
  });
  return {
    field: best.name,
    values: map((value) => toNumber(value) ?? 0),
    literals: map((value) => (kind === "timestamp" ? withOffset(String(value)) : String(value))),
  };
}

/** The same instant as clocks nine hours behind show it: `2024-05-01T00:30:00.000-09:00`. */
function withOffset(instant: string): string {
  const shown = new Date(Date.parse(instant) - 9 * 3_600_000);
  return shown.toISOString().replace("Z", "-09:00");
}

/** A lookup field and two values that its rows have, the most frequent first. */
export type SampledLookup = { readonly field: string; readonly values: readonly [string, string] };

/** The lookup field, of one value or of many, with the most values in its rows. */
export function sampleLookup(set: ServedSet, collection: boolean): SampledLookup | undefined {
  const [best] = lookupFields(set)
    .filter((property) => property.collection === collection)
    .map(({ name }) => ({ name, counts: countValues(set, name) }))
    .filter(({ counts }) => counts.size > 1)
    .sort((a, b) => total(b.counts) - total(a.counts));
  if (best === undefined) return undefined;
  const [first = "", second = ""] = [...best.counts].sort(([, a], [, b]) => b - a).map(([value]) => value);
  return { field: best.name, values: [first, second] };
}

export const lookupFields = ({ properties }: ServedSet): readonly Declared[] =>
  [...properties.values()].filter(({ lookupName }) => lookupName !== undefined);

const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);

/** How often the rows of a set have each value of a field; the items of a collection one by one. */
export function countValues({ rows }: ServedSet, field: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of rows.flatMap((row) => row[field])) {
    if (typeof value === "string") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
