import { generateMarket, type SampleListing, type SampleRecord } from "../../src/index.ts";

/** The market that most tests use. */
export const market = generateMarket({ seed: 7, listings: 3000 });

/** Its listings, generated once. */
export const listings: readonly SampleListing[] = [...market.listingsWithMedia()];

export const properties: readonly SampleRecord[] = listings.map(({ property }) => property);

/** Returns a text field of a record; undefined if it is not filled. */
export function text(record: SampleRecord, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" ? value : undefined;
}

/** Groups records by a text field, without those that lack it. */
export function groupBy(
  records: readonly SampleRecord[],
  name: string,
): ReadonlyMap<string, readonly SampleRecord[]> {
  const groups = new Map<string, SampleRecord[]>();
  for (const record of records) {
    const key = text(record, name);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [record]);
    else group.push(record);
  }
  return groups;
}
