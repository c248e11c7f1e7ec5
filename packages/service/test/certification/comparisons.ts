import type { NumberKind } from "./sampling.ts";

/** A scenario that compares a field with values: what is asked, and what must hold of every row. */
export type Comparison = {
  /** RESO's name of the scenario. */
  readonly tag: string;
  readonly kind: NumberKind;
  /** `{field}`, `{low}`, `{mid}` and `{high}` stand for a field and values that its rows have. */
  readonly filter: string;
  readonly holds: (value: number, than: Readonly<Record<"low" | "mid" | "high", number>>) => boolean;
  /** Whether rows without a value belong to the answer. */
  readonly nulls: boolean;
};

type Row = readonly [tag: string, filter: string, holds: Comparison["holds"], nulls?: "with nulls"];

const of = (kind: NumberKind, rows: readonly Row[]): readonly Comparison[] =>
  rows.map(([tag, filter, holds, nulls]) => ({
    tag,
    kind,
    filter,
    holds,
    nulls: nulls !== undefined,
  }));

/** Source: RESO Web API Core 2.0.0, certification scenarios of `$filter`. */
export const comparisons: readonly Comparison[] = [
  ...of("integer", [
    ["filter-int-and", "{field} gt {low} and {field} lt {high}", (v, { low, high }) => v > low && v < high],
    ["filter-int-or", "{field} lt {high} or {field} gt {low}", (v, { low, high }) => v < high || v > low],
    ["filter-int-not", "not ({field} le -1)", (v) => v > -1, "with nulls"],
    ["filter-int-eq", "{field} eq {low}", (v, { low }) => v === low],
    ["filter-int-ne", "{field} ne {low}", (v, { low }) => v !== low, "with nulls"],
    ["filter-int-gt", "{field} gt {low}", (v, { low }) => v > low],
    ["filter-int-ge", "{field} ge {low}", (v, { low }) => v >= low],
    ["filter-int-lt", "{field} lt {low}", (v, { low }) => v < low],
    ["filter-int-le", "{field} le {low}", (v, { low }) => v <= low],
  ]),
  ...of("decimal", [
    ["filter-decimal-ne", "{field} ne {low}", (v, { low }) => v !== low, "with nulls"],
    ["filter-decimal-gt", "{field} gt {low}", (v, { low }) => v > low],
    ["filter-decimal-ge", "{field} ge {low}", (v, { low }) => v >= low],
    ["filter-decimal-lt", "{field} lt {high}", (v, { high }) => v < high],
    ["filter-decimal-le", "{field} le {high}", (v, { high }) => v <= high],
  ]),
  ...of("date", [
    ["filter-date-eq", "{field} eq {mid}", (v, { mid }) => v === mid],
    ["filter-date-ne", "{field} ne {mid}", (v, { mid }) => v !== mid, "with nulls"],
    ["filter-date-gt", "{field} gt {mid}", (v, { mid }) => v > mid],
    ["filter-date-ge", "{field} ge {mid}", (v, { mid }) => v >= mid],
    ["filter-date-lt", "{field} lt {mid}", (v, { mid }) => v < mid],
    ["filter-date-le", "{field} le {mid}", (v, { mid }) => v <= mid],
  ]),
  ...of("timestamp", [
    ["filter-datetime-gt", "{field} gt {mid}", (v, { mid }) => v > mid],
    ["filter-datetime-ge", "{field} ge {mid}", (v, { mid }) => v >= mid],
    ["filter-datetime-lt-now", "{field} lt now()", (v) => v < Date.now()],
    ["filter-datetime-le-now", "{field} le now()", (v) => v <= Date.now()],
    ["filter-datetime-ne-now", "{field} ne {mid}", (v, { mid }) => v !== mid, "with nulls"],
  ]),
];

/** Those that RESO Web API Core 2.1.0 certification adds, or sends in another form. */
export const laterComparisons: readonly Comparison[] = [
  ...of("integer", [
    ["filter-int-not", "not({field} le -1)", (v) => v > -1, "with nulls"],
    ["filter-int-eq", "{field} eq {mid}", (v, { mid }) => v === mid],
    ["filter-int-lt", "{field} lt {high}", (v, { high }) => v < high],
  ]),
  ...of("decimal", [["filter-decimal-eq", "{field} eq {mid}", (v, { mid }) => v === mid]]),
  ...of("timestamp", [
    ["filter-datetime-eq", "{field} eq {mid}", (v, { mid }) => v === mid],
    ["filter-datetime-lt", "{field} lt {mid}", (v, { mid }) => v < mid],
    ["filter-datetime-le", "{field} le {mid}", (v, { mid }) => v <= mid],
    ["filter-datetime-ne-now", "{field} ne now()", () => true, "with nulls"],
  ]),
];
