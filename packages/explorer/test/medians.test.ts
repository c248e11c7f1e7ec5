import { describe, expect, test } from "vitest";
import { medianOf, mediansByPlace, quarterOf } from "../src/market/medians.ts";

describe("medians", () => {
  test.each([
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
    [[7], 7],
  ])("of %j is %d", (numbers, median) => {
    expect(medianOf(numbers)).toBe(median);
  });

  test.each([
    ["2024-01-01", "2024 Q1"],
    ["2024-03-31", "2024 Q1"],
    ["2024-12-01", "2024 Q4"],
  ])("%s is in %s", (date, quarter) => {
    expect(quarterOf(date)).toBe(quarter);
  });

  test("leave out quarters of few sales, and begin with the place of most", () => {
    const sales = (place: string, date: string, ...prices: readonly number[]) =>
      prices.map((price) => ({ place, date, price }));
    const all = [
      ...sales("York", "2024-05-01", 1, 2, 3, 4, 5),
      ...sales("Austin", "2024-05-01", 10, 20, 30, 40, 50),
      ...sales("Austin", "2024-02-01", 5, 5, 5, 5, 6),
      ...sales("Austin", "2024-08-01", 99),
      ...sales("Hamlet", "2024-08-01", 99),
    ];
    expect(mediansByPlace(all, 5)).toEqual([
      {
        place: "Austin",
        count: 11,
        medians: [
          { quarter: "2024 Q1", median: 5, count: 5 },
          { quarter: "2024 Q2", median: 30, count: 5 },
        ],
      },
      { place: "York", count: 5, medians: [{ quarter: "2024 Q2", median: 3, count: 5 }] },
    ]);
  });
});
