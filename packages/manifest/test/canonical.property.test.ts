import { spawnSync } from "node:child_process";
import {
  canonicalBytes,
  canonicalText,
  ManifestError,
  readManifest,
  sealManifest,
  sha256,
} from "@cadastre/manifest";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { delta, hashOf } from "./support/manifests.ts";

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{0,8}$/);
const text = fc.string({ unit: "grapheme" }).filter((string) => !/\p{Cc}/u.test(string));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeNat(),
    text,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: false }),
  ),
}));

/** The same value, with the members of every object in another order. */
function turned(item: unknown): unknown {
  if (Array.isArray(item)) return item.map(turned);
  if (typeof item !== "object" || item === null) return item;
  return Object.fromEntries(
    Object.entries(item)
      .toReversed()
      .map(([member, held]) => [member, turned(held)]),
  );
}

describe("canonical text", () => {
  test("is the same whatever the order of members, and reads as its value", () => {
    fc.assert(
      fc.property(value, (item) => {
        const canonical = canonicalText(item);
        expect(canonicalText(turned(item))).toBe(canonical);
        expect(canonicalText(JSON.parse(canonical))).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(item)));
      }),
    );
  });

  const jq = spawnSync("jq", ["--version"]).status === 0;
  test.runIf(jq)("is what jq writes", () => {
    const items = fc.sample(value, 200);
    const { stdout } = spawnSync("jq", ["-cS", "."], {
      input: items.map((item) => JSON.stringify(item)).join("\n"),
      encoding: "utf8",
    });
    expect(items.map(canonicalText)).toEqual(stdout.trimEnd().split("\n"));
  });

  test.each<readonly [string, unknown, string, string]>([
    ["a fraction", { a: [1.5] }, "canonical_number", "/a/0"],
    ["a negative number", { a: -1 }, "canonical_number", "/a"],
    ["minus zero", { a: -0 }, "canonical_number", "/a"],
    ["a number past 2^53", { a: 2 ** 53 }, "canonical_number", "/a"],
    ["infinity", Number.POSITIVE_INFINITY, "canonical_number", ""],
    ["a line break", { a: "x\ny" }, "canonical_text", "/a"],
    ["a DEL", { a: "\u007f" }, "canonical_text", "/a"],
    ["half a surrogate pair", { a: "\ud800" }, "canonical_text", "/a"],
    ["a member with a space", { a: { "b c": 1 } }, "canonical_member", "/a/b c"],
    ["a member with a slash", { "a/b": 1 }, "canonical_member", "/a~1b"],
    ["a member that begins with a digit", { "1a": 1 }, "canonical_member", "/1a"],
    ["`__proto__`", JSON.parse('{"__proto__":1}'), "canonical_member", "/__proto__"],
    ["undefined", { a: undefined }, "canonical_value", "/a"],
    ["a hole", { a: Array(1) }, "canonical_value", "/a/0"],
    ["a date", { a: new Date(0) }, "canonical_value", "/a"],
    ["a big integer", { a: 1n }, "canonical_value", "/a"],
  ])("refuses %s", (_, item, code, path) => {
    expect(() => canonicalText(item)).toThrow(expect.objectContaining({ code, path }));
  });

  test("refuses what lies too deep", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(canonicalText(JSON.parse(nested(32)))).toBe(nested(32));
    expect(() => canonicalText(JSON.parse(nested(33)))).toThrow(
      expect.objectContaining({ code: "canonical_depth" }),
    );
    expect(() => readManifest(new TextEncoder().encode(nested(100_000)))).toThrow(ManifestError);
  });
});

test("no byte of a manifest can be another without another hash, and seldom a manifest", async () => {
  const { bytes, sha256: hash, manifest } = await sealManifest(delta(hashOf("seed")));
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = bytes.slice();
      changed[at] = (changed[at] ?? 0) ^ by;
      expect(await sha256(changed)).not.toBe(hash);
      try {
        expect(readManifest(changed)).not.toEqual(manifest);
      } catch (error) {
        if (!(error instanceof ManifestError)) throw error;
      }
    }),
    { numRuns: 400 },
  );
  expect(canonicalBytes(manifest)).toEqual(bytes);
});
