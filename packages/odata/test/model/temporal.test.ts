import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseDate,
  parseDuration,
  parseInstant,
  parseTimeOfDay,
  printDate,
  printDuration,
  printInstant,
  printTimeOfDay,
} from "../../src/model/temporal.ts";

describe("dates", () => {
  test.each([
    ["1970-01-01", 0],
    ["1969-12-31", -1],
    ["2000-02-29", 11_016],
    ["0000-01-01", -719_528],
    ["9999-12-31", 2_932_896],
    ["-0001-03-01", -719_834],
    ["99999999-12-31", 36_523_530_471],
  ])("%s is day %i", (text, days) => {
    expect(parseDate(text)).toBe(days);
    expect(printDate(days)).toBe(text);
  });

  test.each([
    "2023-02-29",
    "1900-02-29",
    "2023-13-01",
    "2023-00-01",
    "2023-04-31",
    "2023-4-1",
    "23-01-01",
    "100000000-01-01",
    `${"9".repeat(400)}-01-01`,
    "",
  ])("%s is no date", (text) => {
    expect(parseDate(text)).toBeUndefined();
  });

  test("agree with Date on every day that Date can print", () => {
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), (days) => {
        expect(printDate(days)).toBe(new Date(days * 86_400_000).toISOString().slice(0, 10));
      }),
    );
  });
});

describe("instants", () => {
  test.each([
    ["2024-01-15T08:30:00.123Z", "2024-01-15T08:30:00.123Z"],
    ["2024-01-15T08:30Z", "2024-01-15T08:30:00.000Z"],
    ["2024-01-15t08:30:00z", "2024-01-15T08:30:00.000Z"],
    ["2019-12-31T23:55:55-09:00", "2020-01-01T08:55:55.000Z"],
    ["2020-01-01T00:30:00+05:30", "2019-12-31T19:00:00.000Z"],
    ["2024-01-15T08:30:00.123456789012Z", "2024-01-15T08:30:00.123456789012Z"],
  ])("%s is %s in UTC", (text, utc) => {
    const instant = parseInstant(text);
    expect(instant && printInstant(instant)).toBe(utc);
  });

  test.each([
    "2024-01-15",
    "2024-01-15T08:30:00",
    "2024-01-15T25:00Z",
    "2024-01-15T08:60Z",
    "2024-02-30T00:00Z",
    "100000000-01-01T00:00Z",
    `${"9".repeat(400)}-01-01T00:00Z`,
  ])("%s is no instant", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe("times and durations", () => {
  test.each([
    ["00:00:00", "00:00:00"],
    ["23:59", "23:59:00"],
    ["07:05:09.5", "07:05:09.5"],
  ])("%s prints as %s", (text, printed) => {
    const time = parseTimeOfDay(text);
    expect(time !== undefined && printTimeOfDay(time)).toBe(printed);
  });

  test.each([
    ["P1D", "P1D"],
    ["PT36H", "P1DT12H"],
    ["-PT0.5S", "-PT0.5S"],
    ["P0D", "PT0S"],
    ["P6DT23H59M59.9999S", "P6DT23H59M59.9999S"],
  ])("%s prints as %s", (text, printed) => {
    const duration = parseDuration(text);
    expect(duration !== undefined && printDuration(duration)).toBe(printed);
  });

  test.each(["P", "PT", "P1Y", "P1M", "1D", "P1DT"])("%s is no duration", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
