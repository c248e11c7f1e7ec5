import { expect, test } from "vitest";
import { type Backoff, backoffDelay, retryAfter } from "../src/retry/index.ts";

test.each<[string | null | undefined, number | undefined]>([
  ["120", 120_000],
  ["Wed, 21 Oct 2015 07:28:10 GMT", 10_000],
  ["Wednesday, 21-Oct-15 07:28:10 GMT", 10_000],
  ["Wed, 21 Oct 2015 07:00:00 GMT", 0],
  ["soon", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["", undefined],
  [null, undefined],
  [undefined, undefined],
])("Retry-After: %s", (text, pause) => {
  expect(retryAfter(text, Date.UTC(2015, 9, 21, 7, 28, 0))).toBe(pause);
});

const backoff = { first: 1000, longest: 6000 };

test.each<[string, Backoff, number, readonly number[]]>([
  ["doubles up to the longest wait", backoff, 1, [1000, 2000, 4000, 6000, 6000]],
  ["may be no wait at all, by jitter", backoff, 0, [0, 0, 0]],
  ["grows by a factor", { ...backoff, growth: 3 }, 1, [1000, 3000, 6000]],
  ["keeps the part that is not random", { ...backoff, jitter: 0.5 }, 0.5, [750, 1500, 3000, 4500]],
  ["is the same each time without jitter", { ...backoff, jitter: 0 }, 0.3, [1000, 2000, 4000, 6000]],
])("a backoff %s", (_, terms, random, waits) => {
  expect(waits.map((_, before) => backoffDelay(terms, before + 1, random))).toEqual(waits);
});
