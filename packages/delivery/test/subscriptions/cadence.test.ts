import { expect, test } from "vitest";
import { dueAfter } from "../../src/subscriptions/cadence.ts";

const on = (day: number, hour: number, minute = 0) => Date.UTC(2026, 2, day, hour, minute);
const daily = 86_400;

test.each([
  ["an hour later", 3600, null, on(1, 9, 7), on(1, 10, 7)],
  ["an hour later, whatever minute is preferred", 3600, 240, on(1, 9, 7), on(1, 10, 7)],
  ["a day later", daily, null, on(1, 9, 7), on(2, 9, 7)],
  ["at the preferred minute of the next day", daily, 240, on(1, 4, 0), on(2, 4)],
  ["a little late, and not later the next day", daily, 240, on(1, 4, 3), on(2, 4)],
  ["hours late, and not later the next day", daily, 240, on(1, 23, 59), on(2, 4)],
  ["before the preferred minute, which is today", daily, 240, on(1, 3, 59), on(1, 4)],
  ["in a week", 7 * daily, 1439, on(1, 23, 59), on(8, 23, 59)],
  ["in a week, less what it was late", 7 * daily, 0, on(1, 12), on(8, 0)],
])("%s", (_, cadenceSeconds, preferredMinuteOfDay, at, due) => {
  expect(dueAfter(at, { cadenceSeconds, preferredMinuteOfDay })).toBe(due);
});
