import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startPruning, versionLifeOf } from "../src/data/pruning.ts";
import { createLog } from "../src/log.ts";

const log = createLog("silent");

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

test("versions older than a token's life are forgotten, again and again, until it is stopped", async () => {
  const times: number[] = [];
  const prune = async (time: number) => {
    times.push(time);
    if (times.length === 1) throw new Error("busy");
    return 3;
  };
  const stop = startPruning({ prune }, 3600, async () => undefined, log);
  await vi.advanceTimersByTimeAsync(21 * 60 * 1000);
  stop();
  await vi.advanceTimersByTimeAsync(60 * 60 * 1000);
  const first = 1_800_000_000_000 + (10 * 60 - 3600) * 1000;
  expect(times).toEqual([first, first + 10 * 60 * 1000]);
});

test("versions are kept as long as the longest-lived token may ask for them", () => {
  const lives = { tokenLife: 60, deltaLife: 600 };
  expect(versionLifeOf({ ...lives, extensions: ["delta"] })).toBe(600);
  expect(versionLifeOf({ ...lives, extensions: ["expand"] })).toBe(60);
  expect(versionLifeOf({ tokenLife: 600, deltaLife: 60, extensions: ["delta"] })).toBe(600);
});
