import { expect, test } from "vitest";
import { walkUnderChange } from "./walk-under-change.ts";

test("a copy made by next links under change is what the service has", async () => {
  const extent = { listings: 2000, pageSize: 100, changes: 5, seed: 1 };
  const { differing, commits, met, left } = await walkUnderChange(extent);
  expect(differing).toEqual([]);
  // Changes there were, while it was walked.
  expect(commits).toBeGreaterThan(40);
  expect(met).toBeGreaterThan(2 * left);
}, 60_000);
