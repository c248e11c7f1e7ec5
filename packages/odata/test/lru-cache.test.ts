import { expect, test } from "vitest";
import { LruCache } from "../src/lru-cache/index.ts";

test("keeps the entries that were used last, and tells of each that goes", () => {
  const removed: string[] = [];
  const cache = new LruCache<string, string>(2, (value) => removed.push(value));
  const made: string[] = [];
  const get = (key: string) =>
    cache.get(key, () => {
      made.push(key);
      return `value of ${key}`;
    });
  for (const key of ["a", "a", "b", "a", "c", "a", "b"]) expect(get(key)).toBe(`value of ${key}`);
  expect(made).toEqual(["a", "b", "c", "b"]);
  expect(removed).toEqual(["value of b", "value of c"]);
  cache.delete("b");
  cache.delete("b");
  expect([cache.has("a"), cache.has("b")]).toEqual([true, false]);
  expect(removed).toEqual(["value of b", "value of c", "value of b"]);
  expect(get("b")).toBe("value of b");
});

test("caches nothing if the value cannot be made", () => {
  const cache = new LruCache<string, number>(2);
  const fail = () => {
    throw new Error("no");
  };
  expect(() => cache.get("a", fail)).toThrow("no");
  expect(cache.has("a")).toBe(false);
  expect(cache.get("a", () => 1)).toBe(1);
});
