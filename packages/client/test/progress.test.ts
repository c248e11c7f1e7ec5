import { expect, test, vi } from "vitest";
import { showByteProgress, size } from "../src/cli/progress.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [31_777_120, "31.8 MB"],
  [2e15, "2000.0 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test("a line tells from time to time how much there is, at what rate, and how long it takes", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((text) => lines.push(String(text)) > 0);
  let now = 0;
  const progress = showByteProgress(100_000_000, () => now);
  for (const [at, bytes] of [
    [1000, 1_000_000],
    [5000, 9_000_000],
    // A transfer broke.
    [6000, -2_000_000],
    [10_000, 12_000_000],
  ] as const) {
    now = at;
    progress.add(bytes);
  }
  progress.end();
  write.mockRestore();
  expect(lines).toEqual([
    "  10.0 MB of 100.0 MB, 2.0 MB/s, 45 s left\n",
    "  20.0 MB of 100.0 MB, 2.0 MB/s, 40 s left\n",
  ]);
});
