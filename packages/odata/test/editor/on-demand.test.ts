import { expect, test } from "vitest";
import { loadedOnDemand, whenLoaded } from "../../src/editor/on-demand.ts";

test("what needs a library is repeated when the library is loaded, which happens once", async () => {
  let loads = 0;
  const library = loadedOnDemand(async () => {
    loads += 1;
    return { double: (n: number) => 2 * n };
  });
  const results = await Promise.all([1, 2].map((n) => whenLoaded(() => library().double(n))));
  expect(results).toEqual([2, 4]);
  expect(await whenLoaded(() => library().double(3))).toBe(6);
  expect(loads).toBe(1);
});

test("a load that fails is told, and the next use tries again", async () => {
  let loads = 0;
  const library = loadedOnDemand(async () => {
    loads += 1;
    if (loads === 1) throw new Error("offline");
    return "loaded";
  });
  await expect(whenLoaded(library)).rejects.toThrow("offline");
  expect(await whenLoaded(library)).toBe("loaded");
});

test("other errors are not repeated", async () => {
  let calls = 0;
  const fail = () => {
    calls += 1;
    throw new RangeError("no");
  };
  await expect(whenLoaded(fail)).rejects.toThrow(RangeError);
  expect(calls).toBe(1);
});
