import { describe, expect, test } from "vitest";
import { differs, mergeRows } from "../src/compare/merged-rows.ts";

const records = (...keys: readonly string[]) => keys.map((Key) => ({ Key }));
const merged = (first: string, second: string) =>
  mergeRows(records(...first.split("")), records(...second.split("")), "Key")
    .map(({ key, seenBy }) => `${key}${{ both: "", first: "1", second: "2" }[seenBy]}`)
    .join(" ");

describe("rows of two keys", () => {
  test.each([
    ["abc", "abc", "a b c"],
    ["abcd", "bd", "a1 b c1 d"],
    ["bd", "abcd", "a2 b c2 d"],
    ["ax", "ay", "a y2 x1"],
    ["", "ab", "a2 b2"],
    ["ab", "ba", "a b"],
  ])("%s and %s are %s", (first, second, expected) => {
    expect(merged(first, second)).toBe(expected);
  });

  test("differ where a value does, or where one sees none", () => {
    const first = { Key: "a", City: "Austin", Beds: 2, Zip: "78701", Tags: ["x"] };
    const [row] = mergeRows([first], [{ Key: "a", City: "Austin", Beds: 3, Tags: ["x"] }], "Key");
    if (row === undefined) throw new Error("no row");
    expect(["City", "Beds", "Zip", "Tags"].filter((name) => differs(row, name))).toEqual(["Beds", "Zip"]);
  });

  test("null and absent are the same", () => {
    const [row] = mergeRows([{ Key: "a", City: null }], [{ Key: "a" }], "Key");
    if (row === undefined) throw new Error("no row");
    expect(differs(row, "City")).toBe(false);
  });
});
