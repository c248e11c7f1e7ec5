import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readManifest } from "@cadastre/manifest";
import { expect, test } from "vitest";
import { exceedsLimits } from "../src/json-limits.ts";

const limits = { bytes: 100, depth: 3, containers: 5, members: 3, values: 10 };
const bytesOf = (text: string) => new TextEncoder().encode(text);

test.each([
  ["a long text", JSON.stringify("x".repeat(99)), true],
  ["a text of the longest length", JSON.stringify("x".repeat(98)), false],
  ["deep nesting", "[[[[]]]]", true],
  ["the deepest nesting", '[{"a":[]}]', false],
  ["many arrays and objects", "[[],{},[],{},[]]", true],
  ["the most arrays and objects", "[[],{},[],{}]", false],
  ["many members", '{"a":0,"b":0,"c":0,"d":0}', true],
  ["the most members, in each of two objects", '[{"a":0,"b":0,"c":0},{"a":0,"b":0}]', false],
  ["many members around others", '{"a":{"a":0},"b":0,"c":0,"d":0}', true],
  ["many values", "[0,1,2,3,4,5,6,7,8,9]", true],
  ["the most values", "[0,1,2,3,4,5,6,7]", false],
  ["brackets and commas in a string", '["[[[[,,,,,,,,,,,{{{{"]', false],
  ["an escaped quote in a string", String.raw`["\"[[[["]`, false],
  ["an escaped backslash at the end of a string", String.raw`["\\",[[[]]]]`, true],
  ["a string without an end", '"[[[[', false],
])("%s: %s is found too large: %s", (_, text, exceeds) => {
  expect(exceedsLimits(bytesOf(text), limits)).toBe(exceeds);
});

const program = fileURLToPath(new URL("support/read-large.ts", import.meta.url));
const source = ["--conditions=@cadastre/source", "--import", "./scripts/source.mjs"];

test.each(["deep", "arrays", "objects", "names"])(
  "30 MB of %s are refused before they are parsed",
  (kind) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...source, program, kind], { encoding: "utf8" });
    expect(stderr).toBe("");
    const { code, parsed, grown } = JSON.parse(stdout) as Record<string, unknown>;
    expect({ code, parsed }).toEqual({ code: "manifest_too_large", parsed: 0 });
    // Megabytes. It was 1,400 while they were parsed.
    expect(grown).toBeLessThan(64);
  },
);

test("a manifest within the limits is read", () => {
  expect(() => readManifest(bytesOf(`[${"0,".repeat(100_000)}0]`))).toThrow(
    expect.objectContaining({ code: "manifest_schema_version" }),
  );
});
