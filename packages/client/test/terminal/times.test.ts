import { expect, test } from "vitest";
import { textTable } from "../../src/terminal/text-table.ts";
import { durationText, readDuration, relativeTime, shortDuration } from "../../src/terminal/times.ts";

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

test.each([
  [0, "just now"],
  [-44 * second, "just now"],
  [-46 * second, "1 minute ago"],
  [-89 * minute, "89 minutes ago"],
  [-90 * minute, "2 hours ago"],
  [-35 * hour, "35 hours ago"],
  [-2 * day, "2 days ago"],
  [-59 * day, "59 days ago"],
  [-60 * day, "2 months ago"],
  [-800 * day, "2 years ago"],
  [30 * second, "in less than a minute"],
  [5 * hour, "in 5 hours"],
  [3 * day, "in 3 days"],
])("%d ms from now are: %s", (distance, text) => {
  const now = Date.UTC(2026, 10, 24);
  expect(relativeTime(now + distance, now)).toBe(text);
});

test.each([
  ["90s", 90 * second, "90s"],
  ["60m", hour, "1h"],
  ["36h", 36 * hour, "36h"],
  ["7d", 7 * day, "7d"],
] as const)("%s is %d ms, and written %s", (text, milliseconds, written) => {
  expect(readDuration(text)).toBe(milliseconds);
  expect(durationText(milliseconds)).toBe(written);
});

test.each(["", "5", "m", "1w", "-1d", "1.5h", "1 d"])("`%s` is no duration", (text) => {
  expect(readDuration(text)).toBeUndefined();
});

test.each([
  [0.4, "1 s"],
  [59, "59 s"],
  [200, "3 min 20 s"],
  [Number.POSITIVE_INFINITY, "–"],
])("%d seconds are %s", (seconds, text) => {
  expect(shortDuration(seconds)).toBe(text);
});

test("the columns of a table are aligned, and no line ends with spaces", () => {
  expect(
    textTable(
      ["A", "LONG"],
      [
        ["first", ""],
        ["2", "x"],
      ],
    ),
  ).toBe("A      LONG\nfirst\n2      x");
});
