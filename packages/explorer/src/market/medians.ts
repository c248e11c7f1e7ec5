/** A sale: when, for how much, and in which place. */
export type Sale = { readonly date: string; readonly price: number; readonly place: string };

/** Median price of a quarter, and the number of its sales. */
type QuarterMedian = { readonly quarter: string; readonly median: number; readonly count: number };

/** Medians of one place, in the order of time. */
export type PlaceMedians = {
  readonly place: string;
  readonly count: number;
  readonly medians: readonly QuarterMedian[];
};

/** Minimum number of sales of a median: the median of fewer says little. */
export const fewestSales = 5;

/** Returns the quarter of a date: `2024-07-01` is in `2024 Q3`. */
export const quarterOf = (date: string): string =>
  `${date.slice(0, 4)} Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;

/** Returns the middle number, or the mean of the two in the middle. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}

function grouped<T>(items: Iterable<T>, nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(nameOf(item));
    if (group === undefined) groups.set(nameOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** Returns the medians of the places with most sales, by quarter. Quarters with too few sales are left out. */
export function mediansByPlace(sales: readonly Sale[], most: number): readonly PlaceMedians[] {
  return [...grouped(sales, ({ place }) => place)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, most)
    .map(([place, its]) => ({
      place,
      count: its.length,
      medians: [...grouped(its, ({ date }) => quarterOf(date))]
        .filter(([, some]) => some.length >= fewestSales)
        .map(([quarter, some]) => ({
          quarter,
          median: medianOf(some.map(({ price }) => price)),
          count: some.length,
        }))
        .toSorted((a, b) => (a.quarter < b.quarter ? -1 : 1)),
    }))
    .filter(({ medians }) => medians.length > 0);
}
