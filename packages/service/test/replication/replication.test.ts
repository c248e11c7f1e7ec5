import { expect, test } from "vitest";
import { walkUnderChange } from "./walk-under-change.ts";

test.each([1, 2])(
  "a copy made by next links under change is what the service has, seed %i",
  async (seed) => {
    const extent = { listings: 3000, pageSize: 100, changes: 5, seed };
    const { differing, commits, met, left } = await walkUnderChange(extent);
    expect(differing).toEqual([]);
    // Changes there were, while it was walked.
    expect(commits).toBeGreaterThan(50);
    expect(met).toBeGreaterThan(2 * left);
  },
  60_000,
);
