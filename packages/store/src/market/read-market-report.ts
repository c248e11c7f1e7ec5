import { scopeWithin, showsWhole, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseOrderBy, parseSelect, type Row } from "@cadastre/odata";
import { compareCodePoints } from "../code-points.ts";
import { type ListingOptions, type ListingReads, readListings } from "../read-listings.ts";
import type { Bookmark } from "../store.ts";
import type { MarketRow } from "./columns.ts";
import { factsOf, type ListingFacts, type PopulationName, reportFields, toldBy } from "./listing-facts.ts";
import { type Month, monthOf } from "./month.ts";
import { Report } from "./report.ts";

export type MarketReportOptions = ListingOptions & {
  readonly asOf: number;
  /** Id after which to start. */
  readonly after?: string | null;
  /** Minimum number of listings that are counted together. By default {@link minimumCellSize}. */
  readonly least?: number;
};

/** Default minimum. Source: interface specification, section 2.5, `minimum_cell_size`. */
const minimumCellSize = 10;

/** Number of months in a report. The last one is the month before the newest change. */
const periods = 24;

/** Number of listings in a page. */
const pageSize = 1000;

/**
 * Streams a report on the market in each month by place and property type, from the listings as the scope shows them. Rows are
 * ordered by the code points of their ids. Listings are read several times, because medians need several walks; memory grows with
 * the number of markets, not of listings.
 */
export async function* readMarketReport(
  reads: ListingReads,
  { after = null, least = minimumCellSize, ...options }: MarketReportOptions,
): AsyncGenerator<MarketRow> {
  const last = await lastMonth(reads, options);
  if (last === undefined) return;
  const report = new Report({ from: last - periods + 1, last, least, regions: reads.scope.regions });
  const walk = async (
    see: (dataset: string, facts: ListingFacts, told: ReadonlySet<PopulationName>) => void,
  ) => {
    for (const { dataset_id: dataset } of reads.scope.datasets) {
      const scope = scopeWithin(reads.scope, dataset);
      const told = toldBy((field) => showsWhole(reads.entitySet, scope, field));
      for await (const listing of listingsOf({ ...reads, scope }, options)) {
        const facts = factsOf(listing);
        if (facts !== undefined) see(dataset, facts, told);
      }
    }
  };
  await walk((dataset, facts, told) => report.count(dataset, facts, told));
  report.settle();
  do await walk((dataset, facts, told) => report.value(dataset, facts, told));
  while (!report.isKnown());
  for (const row of report.rows()) if (after === null || compareCodePoints(row.id, after) > 0) yield row;
}

/** Returns the last complete month: the one before the month of the newest change. */
async function lastMonth(reads: ListingReads, options: ListingOptions): Promise<Month | undefined> {
  const visible = visibleEntitySet(reads.entitySet, reads.scope);
  const parts = {
    select: parseSelect("ModificationTimestamp"),
    orderBy: parseOrderBy("ModificationTimestamp desc"),
    top: 1,
  };
  const { listings } = await readListings(bindQuery(parts, visible), reads, options);
  const newest = monthOf(listings[0]?.["ModificationTimestamp"]);
  return newest === undefined ? undefined : newest - 1;
}

/** Streams the listings of a scope with one dataset. Only fields that the dataset shows unmasked are read. */
async function* listingsOf(reads: ListingReads, options: ListingOptions): AsyncGenerator<Row> {
  const { entitySet, scope } = reads;
  if (!scope.visible(entitySet.name)) return;
  const shown = reportFields.filter((field) => showsWhole(entitySet, scope, field));
  if (!shown.includes("PropertyType")) return;
  const parts = { select: parseSelect(shown.join()), top: pageSize };
  const query = bindQuery(parts, visibleEntitySet(entitySet, scope));
  for (let from: Bookmark | null | undefined; from !== null; ) {
    const { listings, next } = await readListings(query, reads, { ...options, from });
    yield* listings;
    from = next;
  }
}
