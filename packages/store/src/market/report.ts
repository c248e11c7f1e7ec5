import type { Region } from "@cadastre/entitlement";
import { compareCodePoints } from "../code-points.ts";
import type { MarketRow } from "./columns.ts";
import { type ListingFacts, type PopulationName, populations } from "./listing-facts.ts";
import { depths, type Market, marketsOf, regionTexts } from "./market.ts";
import { Medians } from "./medians.ts";
import { type Month, monthText } from "./month.ts";
import { type Group, unitDepths } from "./units.ts";

/**
 * Figures that are medians: the population of listings, the value, and the units of the value in one unit of the figure (cents in
 * a dollar).
 */
const measures = {
  median_list_price: { of: "new", from: "listPrice", parts: 100 },
  median_close_price: { of: "closed", from: "closePrice", parts: 100 },
  median_days_on_market: { of: "closed", from: "days", parts: 1 },
  median_price_per_square_foot: { of: "closed", from: "unitPrice", parts: 100 },
} as const satisfies Record<
  string,
  { readonly of: PopulationName; readonly from: keyof ListingFacts; readonly parts: number }
>;

type Measure = keyof typeof measures;
const measureNames = Object.keys(measures) as readonly Measure[];

export type ReportOptions = {
  readonly from: Month;
  readonly last: Month;
  readonly least: number;
  readonly regions: readonly Region[];
};

/** A row while it is being computed. */
type Cell = {
  readonly number: number;
  readonly month: Month;
  readonly market: Market;
  readonly type: string;
  readonly id: string;
  readonly counts: Map<PopulationName, number>;
};

type Told = ReadonlySet<PopulationName>;

/** Computes a report: first count all listings, then settle, then pass their values until the medians are known. */
export class Report {
  readonly #options: ReportOptions;
  readonly #groups: Group[] = [];
  readonly #groupNumbers = new Map<string, number>();
  /** Number of listings by population and month, then by group number. */
  readonly #counts = new Map<string, Map<number, number>>();
  /** Depth of place of each counted group, by population and month. */
  readonly #depths = new Map<string, ReadonlyMap<number, number>>();
  readonly #cells = new Map<string, Cell>();
  /** Cells by a number made of group, depth and month. */
  readonly #cellsOfGroups = new Map<number, readonly Cell[]>();
  readonly #medians = new Medians<number>();

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  count(dataset: string, facts: ListingFacts, told: Told): void {
    const group = this.#groupOf(dataset, facts);
    for (const [population, month] of this.#memberships(facts, told)) {
      const key = periodKey(population, month);
      const counts = this.#counts.get(key) ?? new Map<number, number>();
      this.#counts.set(key, counts.set(group, (counts.get(group) ?? 0) + 1));
    }
  }

  /** Decides which listings are counted, and in which markets. Call it after all listings were counted. */
  settle(): void {
    const { least, from, last, regions } = this.#options;
    const granted = regionTexts(regions);
    for (const population of populations)
      for (let month = from; month <= last; month++) {
        const key = periodKey(population, month);
        const counts = this.#counts.get(key) ?? new Map<number, number>();
        const counted = unitDepths(this.#groups, counts, least, granted);
        this.#depths.set(key, counted);
        for (const [group, depth] of counted)
          for (const cell of this.#cellsOf(group, depth, month))
            cell.counts.set(population, (cell.counts.get(population) ?? 0) + (counts.get(group) ?? 0));
      }
    this.#counts.clear();
  }

  value(dataset: string, facts: ListingFacts, told: Told): void {
    const group = this.#groupOf(dataset, facts);
    for (const [population, month] of this.#memberships(facts, told)) {
      if (population === "active") return;
      const depth = this.#depths.get(periodKey(population, month))?.get(group);
      if (depth !== undefined) this.#see(population, facts, this.#cellsOf(group, depth, month));
    }
  }

  /** Adds the values of a listing that belongs to a population. */
  #see(population: PopulationName, facts: ListingFacts, cells: readonly Cell[]): void {
    for (const [measure, name] of measureNames.entries()) {
      const { of, from } = measures[name];
      const value = of === population ? facts[from] : undefined;
      if (value === undefined) continue;
      for (const cell of cells) this.#medians.see(medianKey(measure, cell), value);
    }
  }

  /** Ends a walk over the values. Returns true if all medians are known, false if the values must be passed again. */
  isKnown(): boolean {
    return this.#medians.isKnown();
  }

  *rows(): Generator<MarketRow> {
    for (const cell of [...this.#cells.values()].toSorted((a, b) => compareCodePoints(a.id, b.id)))
      yield this.#rowOf(cell);
  }

  #rowOf(cell: Cell): MarketRow {
    const { id, month, market, type, counts } = cell;
    const [active, closed] = [counts.get("active"), counts.get("closed")];
    const medians = measureNames.flatMap((name, measure): [string, number][] => {
      const key = medianKey(measure, cell);
      const doubled = this.#medians.doubledOf(key);
      return doubled === undefined || this.#medians.countOf(key) < this.#options.least
        ? []
        : [[name, doubled / (2 * measures[name].parts)]];
    });
    return {
      id,
      period: monthText(month),
      geography_type: market.kind,
      geography_id: market.id,
      property_type: type,
      ...Object.fromEntries(
        populations.flatMap((population) => {
          const count = counts.get(population);
          return count === undefined ? [] : [[`${population}_listings`, count] as const];
        }),
      ),
      ...Object.fromEntries(medians),
      ...(active === undefined || closed === undefined
        ? {}
        : { months_of_supply: Math.floor((200 * active + closed) / (2 * closed)) / 100 }),
    };
  }

  /** Yields the populations that a listing belongs to, with the months of the report. */
  *#memberships(facts: ListingFacts, told: Told): Generator<readonly [PopulationName, Month]> {
    const { from, last } = this.#options;
    const { begun, ended, closed } = facts;
    const isIn = (month: Month | undefined): month is Month =>
      month !== undefined && month >= from && month <= last;
    if (told.has("new") && isIn(begun)) yield ["new", begun];
    if (told.has("closed") && isIn(closed)) yield ["closed", closed];
    if (!told.has("active") || begun === undefined || ended === undefined) return;
    for (let month = Math.max(from, begun); month <= last && month < ended; month++) yield ["active", month];
  }

  #groupOf(dataset: string, { system, type, place }: ListingFacts): number {
    const text = JSON.stringify([dataset, system, type, ...place]);
    const known = this.#groupNumbers.get(text);
    if (known !== undefined) return known;
    this.#groupNumbers.set(text, this.#groups.length);
    return this.#groups.push({ dataset, system, type, place }) - 1;
  }

  #cellsOf(groupNumber: number, depth: number, month: Month): readonly Cell[] {
    const { from, last } = this.#options;
    const key = (groupNumber * (depths + 1) + depth) * (last - from + 1) + (month - from);
    const known = this.#cellsOfGroups.get(key);
    if (known !== undefined) return known;
    const group = this.#groups[groupNumber];
    const cells =
      group === undefined
        ? []
        : marketsOf(group.place, depth).map((market) => {
            const id = `${monthText(month)}/${market.kind}:${market.id}/${group.type}`;
            const number = this.#cells.size;
            const cell = this.#cells.get(id) ?? {
              number,
              month,
              market,
              type: group.type,
              id,
              counts: new Map(),
            };
            this.#cells.set(id, cell);
            return cell;
          });
    this.#cellsOfGroups.set(key, cells);
    return cells;
  }
}

const periodKey = (population: PopulationName, month: Month): string => `${population} ${month}`;

/** @param measure index in {@link measureNames} */
const medianKey = (measure: number, { number }: Cell): number => number * measureNames.length + measure;
