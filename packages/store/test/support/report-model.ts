import type { ResourceGrant } from "@cadastre/entitlement";
import type { Row } from "@cadastre/odata";
import type { StoredRecord } from "../../src/index.ts";
import { type Asker, datasets } from "./reported.ts";

/*
 * Simple in-memory model of a market report, computed from sets of listings. It shares no code with the implementation under test.
 */

/** The months of the test reports. */
const months = ["2024-12", "2025-01", "2025-02", "2025-03"] as const;

/** A listing as one caller sees it. */
export type Shown = {
  readonly dataset: string;
  readonly system: string;
  readonly type: string;
  readonly place: readonly (string | null)[];
  /** Populations that the listing belongs to, each with a month: `closed 2025-03`. */
  readonly member: readonly string[];
  readonly values: Readonly<Record<string, number | undefined>>;
};

/** Listings behind each count, by key such as `closed 2025-03 state:TX Land`. */
export type Sets = ReadonlyMap<string, readonly Shown[]>;

const isWholeIn = (grant: ResourceGrant, name: string) =>
  (grant.fields === "*" || grant.fields.includes(name)) && grant.masks?.[name] === undefined;

const alwaysShown = ["ListingKey", "ModificationTimestamp", "OriginatingSystemName"];

const isIn = ({ kind, value }: Asker["regions"][number], record: Row): boolean => {
  switch (kind) {
    case "national":
      return true;
    case "state":
      return record["StateOrProvince"] === value;
    case "county":
      return `${String(record["StateOrProvince"])}/${String(record["CountyOrParish"])}` === value;
    case "zip":
      return String(record["PostalCode"]).startsWith(value);
    case "originating_system":
      return record["OriginatingSystemName"] === value;
  }
};

export function shownTo(asker: Asker, all: readonly StoredRecord[]): readonly Shown[] {
  return all.flatMap(({ datasetId, record }) => {
    const grant = asker.grants[datasets.indexOf(datasetId ?? "")] ?? null;
    if (grant === null || !asker.regions.some((region) => isIn(region, record))) return [];
    const has = (name: string) => alwaysShown.includes(name) || isWholeIn(grant, name);
    const get = (name: string): unknown => (has(name) ? (record[name] ?? null) : null);
    const type = get("PropertyType");
    if (typeof type !== "string") return [];
    const zip = get("PostalCode");
    return [
      {
        dataset: String(datasetId),
        system: String(record["OriginatingSystemName"]),
        type,
        place: [
          get("StateOrProvince") as string | null,
          get("CountyOrParish") as string | null,
          typeof zip === "string" ? zip.slice(0, 5) : null,
        ],
        member: memberships(get, has),
        values: valuesOf(get),
      },
    ];
  });
}

function memberships(get: (name: string) => unknown, has: (name: string) => boolean): readonly string[] {
  const month = (name: string) => {
    const value = get(name);
    return typeof value === "string" ? value.slice(0, 7) : undefined;
  };
  const begun = month("OnMarketDate") ?? month("ListingContractDate");
  const left = month("OffMarketDate") ?? month("StatusChangeTimestamp");
  const closed = get("StandardStatus") === "Closed" ? month("CloseDate") : undefined;
  const isOn = get("StandardStatus") === "Active";
  const canEnd = has("StandardStatus") && (has("OffMarketDate") || has("StatusChangeTimestamp"));
  return months.flatMap((one) => [
    ...(begun === one ? [`new ${one}`] : []),
    ...(canEnd && begun !== undefined && begun <= one && (isOn || (left !== undefined && left > one))
      ? [`active ${one}`]
      : []),
    ...(closed === one ? [`closed ${one}`] : []),
  ]);
}

function valuesOf(get: (name: string) => unknown): Shown["values"] {
  const number = (name: string) => {
    const value = get(name);
    return typeof value === "number" ? value : undefined;
  };
  const [price, area, units] = [number("ClosePrice"), number("LivingArea"), get("LivingAreaUnits")];
  const isSquareFeet = units === null || units === "Square Feet";
  return {
    median_list_price: number("ListPrice"),
    median_close_price: price,
    median_days_on_market: number("DaysOnMarket"),
    median_price_per_square_foot:
      price === undefined || area === undefined || area <= 0 || !isSquareFeet
        ? undefined
        : Math.round((price / area) * 100) / 100,
  };
}

const marketsOf = ([state = null, county = null, zip = null]: Shown["place"]): readonly string[] => [
  "national:US",
  ...(state === null ? [] : [`state:${state}`]),
  ...(state === null || county === null ? [] : [`county:${state}/${county}`]),
  ...(zip === null ? [] : [`zip:${zip}`]),
];

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Groups of listings that are counted together, each with the markets that contain all of its places. */
function units(all: readonly Shown[], asker: Asker, least: number) {
  const found: { readonly markets: readonly string[]; readonly listings: readonly Shown[] }[] = [];
  let small = all;
  for (const depth of [3, 2, 1, 0]) {
    const known = (place: Shown["place"]) => place.map((part, i) => (i < depth ? part : null));
    const rest: Shown[] = [];
    const groups = groupBy(small, ({ dataset, system, type, place }) =>
      JSON.stringify([dataset, system, type, known(place)]),
    );
    for (const group of groups.values()) {
      const [first] = group;
      if (first === undefined) continue;
      const markets = marketsOf(known(first.place));
      const held = asker.regions.map(({ kind, value }) => `${kind}:${value}`);
      if (![...markets, `originating_system:${first.system}`].some((market) => held.includes(market)))
        continue;
      if (group.length >= least) found.push({ markets, listings: group });
      else rest.push(...group);
    }
    small = rest;
  }
  return found;
}

/** Returns the listings behind each published count. */
export function published(asker: Asker, all: readonly StoredRecord[], least: number): Sets {
  const sets = new Map<string, Shown[]>();
  const shown = shownTo(asker, all);
  for (const member of new Set(shown.flatMap((listing) => listing.member))) {
    const members = shown.filter((listing) => listing.member.includes(member));
    for (const { markets, listings } of units(members, asker, least))
      for (const market of markets) {
        const key = `${member} ${market} ${listings[0]?.type ?? ""}`;
        sets.set(key, [...(sets.get(key) ?? []), ...listings]);
      }
  }
  return sets;
}

/**
 * Returns all sets that a reader might want to learn about a population in a month, of any size: by market, and by market,
 * dataset and system.
 */
export function truths(all: readonly Shown[], member: string): readonly (readonly Shown[])[] {
  const keys = ({ place, dataset, system, type }: Shown) =>
    marketsOf(place).flatMap((market) =>
      ["", dataset, `${dataset} ${system}`].map((whose) => `${market} ${type} ${whose}`),
    );
  const sets = new Map<string, Shown[]>();
  for (const listing of all.filter((one) => one.member.includes(member)))
    for (const key of keys(listing)) sets.set(key, [...(sets.get(key) ?? []), listing]);
  return [...sets.values()];
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const [lower = 0, upper = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[sorted.length >> 1]];
  return Math.round((lower + upper) * 500) / 1000;
};

/** Computes the rows of the report. */
export function modelReport(asker: Asker, all: readonly StoredRecord[], least: number): readonly Row[] {
  const rows = new Map<string, Record<string, unknown>>();
  for (const [key, listings] of published(asker, all, least)) {
    const [, population = "", period = "", market = "", type = ""] =
      /^(\w+) (\S+) (.+) (\w+)$/.exec(key) ?? [];
    const id = `${period}/${market}/${type}`;
    const [geography_type = "", geography_id = ""] = market.split(/:(.*)/s);
    const row = rows.get(id) ?? { id, period, geography_type, geography_id, property_type: type };
    row[`${population}_listings`] = listings.length;
    const names =
      population === "new"
        ? ["median_list_price"]
        : population === "closed"
          ? ["median_close_price", "median_days_on_market", "median_price_per_square_foot"]
          : [];
    for (const name of names) {
      const values = listings.flatMap(({ values: of }) => of[name] ?? []);
      if (values.length >= least) row[name] = median(values);
    }
    rows.set(id, row);
  }
  for (const row of rows.values()) {
    const [active, closed] = [row["active_listings"], row["closed_listings"]];
    if (typeof active === "number" && typeof closed === "number")
      row["months_of_supply"] = Math.round((active / closed) * 100 + 1e-9) / 100;
  }
  return [...rows.values()].toSorted((a, b) => (String(a["id"]) < String(b["id"]) ? -1 : 1));
}
