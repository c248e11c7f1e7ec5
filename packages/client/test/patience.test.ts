import { retryAfter } from "@cadastre/client/http";
import { expect, test } from "vitest";

test.each<[string | null, number | undefined]>([
  ["120", 120_000],
  ["Wed, 21 Oct 2015 07:28:10 GMT", 10_000],
  ["Wednesday, 21-Oct-15 07:28:10 GMT", 10_000],
  ["Wed, 21 Oct 2015 07:00:00 GMT", 0],
  ["soon", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["", undefined],
  [null, undefined],
])("Retry-After: %s", (text, pause) => {
  expect(retryAfter(text, Date.UTC(2015, 9, 21, 7, 28, 0))).toBe(pause);
});
