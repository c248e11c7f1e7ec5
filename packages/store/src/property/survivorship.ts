import type { Row } from "@cadastre/odata";
import { attributes, type Survivorship } from "./attributes.ts";

/** Statuses of listings on the market, ranked from highest to lowest. All other statuses rank equally below these. */
const onMarket: readonly unknown[] = ["Active", "Active Under Contract", "Pending", "Coming Soon", "Hold"];

const rankOf = ({ StandardStatus }: Row): number => {
  const rank = onMarket.indexOf(StandardStatus);
  return rank < 0 ? onMarket.length : rank;
};

const timeOf = ({ ModificationTimestamp }: Row): number => Date.parse(String(ModificationTimestamp));

/** Returns the time of the latest change of the listings, in milliseconds since 1970. */
export const newestOf = (listings: readonly Row[]): number => Math.max(0, ...listings.map(timeOf));

/** Sorts listings by precedence: by status, then the latest change first, then by key. */
export const inPrecedence = (listings: readonly Row[]): readonly Row[] =>
  listings.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      timeOf(b) - timeOf(a) ||
      (String(a["ListingKey"]) < String(b["ListingKey"]) ? -1 : 1),
  );

/**
 * Returns the attributes of a property, each chosen by its own rule: the value of the first listing, the first value that is not
 * null, all values, the newest time, or all parts from one listing.
 *
 * @param listings the listings of the property, by precedence
 * @param isSeen returns true if the caller may see a field
 */
export function mergedAttributes(listings: readonly Row[], isSeen: (field: string) => boolean): Row {
  const found = Object.entries(attributes).flatMap(([name, survivorship]): [string, unknown][] => {
    const value = valueByRule(listings, survivorship, isSeen);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

function valueByRule(
  listings: readonly Row[],
  { rule, from }: Survivorship,
  isSeen: (field: string) => boolean,
): unknown {
  if (rule === "together") {
    const parts = Object.entries(from).filter(([, field]) => isSeen(field));
    return parts.length === 0 ? undefined : partsOfFullestListing(listings, parts);
  }
  if (!isSeen(from)) return undefined;
  const values = listings.map((listing) => listing[from] ?? null);
  const present = values.filter((value) => value !== null);
  switch (rule) {
    case "lead":
      return values[0] ?? null;
    case "first":
      return present[0] ?? null;
    case "all":
      return [...new Set(present)];
    case "newest":
      return new Date(newestOf(listings)).toISOString();
  }
}

function partsOfFullestListing(listings: readonly Row[], parts: readonly (readonly [string, string])[]): Row {
  const candidates = listings.map((listing) =>
    parts.map(([name, field]) => [name, listing[field] ?? null] as const),
  );
  const present = (of: (typeof candidates)[number]) => of.filter(([, value]) => value !== null).length;
  const [most = []] = candidates.toSorted((a, b) => present(b) - present(a));
  return Object.fromEntries(most);
}
