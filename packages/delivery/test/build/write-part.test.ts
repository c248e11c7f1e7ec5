import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { partName, partNumber } from "../../src/build/build-delivery.ts";
import type { ExportColumn } from "../../src/index.ts";
import { memorySource } from "../support/memory-source.ts";
import { partsOf, profile } from "../support/parts.ts";

const text = (name: string): ExportColumn => ({ name, type: "string", collection: false, nullable: true });
const columns = [text("a"), text("b")];
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const lineOf = (length: number) => JSON.stringify({ a: "x".repeat(length), b: "é" });

test.each([
  ["jsonl", "none"],
  ["jsonl", "gzip"],
  ["csv", "gzip"],
] as const)("any batches, and a start at any part, give the same %s (%s)", async (format, compression) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 300 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      fc.nat(),
      async (lengths, partBytes, sizes, from) => {
        const lines = lengths.map(lineOf);
        const chosen = profile({ format, compression, partBytes });
        const all = await partsOf(memorySource(columns, lines), chosen);
        const batched = () => memorySource(columns, lines, () => sizes.next().value as number);
        const again = await partsOf(batched(), chosen);
        const told = (parts: typeof all) => parts.map(({ facts, bytes }) => ({ ...facts, bytes }));
        expect(told(again)).toEqual(told(all));
        // A worker that takes over starts where a part has ended, and its batches are its own.
        const { end = null } = again[from % Math.max(1, again.length)] ?? {};
        if (end === null) return;
        const rest = await partsOf(batched(), chosen, end);
        expect(told(rest)).toEqual(told(all).slice((from % again.length) + 1));
      },
    ),
    { numRuns: 40 },
  );
});

test("a part ends with the first record that brings it to the target", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 90 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 300 }),
      async (lengths, partBytes) => {
        const lines = lengths.map(lineOf);
        const parts = await partsOf(
          memorySource(columns, lines, () => 3),
          profile({ format: "jsonl", compression: "none", partBytes }),
        );
        const texts = parts.map(({ bytes }) => bytes.toString());
        expect(texts.join("")).toBe(lines.map((line) => `${line}\n`).join(""));
        for (const [i, { bytes, facts }] of parts.entries()) {
          const last = bytes.subarray(0, -1).lastIndexOf("\n") + 1;
          expect(last).toBeLessThan(partBytes);
          if (i < parts.length - 1) expect(bytes.length).toBeGreaterThanOrEqual(partBytes);
          expect(facts.rowCount).toBe(texts[i]?.trimEnd().split("\n").length);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("a part states the keys of its first and last record, whatever the batches", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 5 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 9 }),
      async (keys, partBytes, size) => {
        const source = memorySource(
          columns,
          keys.map((a) => JSON.stringify({ a })),
          () => size,
        );
        const chosen = profile({ format: "jsonl", compression: "none", partBytes });
        const parts = await partsOf(source, chosen, undefined, undefined, "a");
        for (const { facts, bytes } of parts) {
          const own = bytes
            .toString()
            .trimEnd()
            .split("\n")
            .map((line) => (JSON.parse(line) as { a: string }).a);
          const stated = (key: string | undefined) => (/\p{Cc}/u.test(key ?? "") ? null : key);
          expect([facts.firstKey, facts.lastKey]).toEqual([stated(own[0]), stated(own.at(-1))]);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["a control character", "a\u0001"],
  ["half a surrogate pair", "\ud800"],
  ["a great length", "x".repeat(1025)],
])("a key with %s is not stated: the manifest could not be sealed", async (_, key) => {
  const source = memorySource(columns, [JSON.stringify({ a: key }), JSON.stringify({ a: "z" })]);
  const chosen = profile({ format: "csv", compression: "gzip", partBytes: 1 << 16 });
  const [part] = await partsOf(source, chosen, undefined, undefined, "a");
  expect(part?.facts).toMatchObject({ firstKey: null, lastKey: "z" });
});

test("nothing is written of no records", async () => {
  const chosen = profile({ format: "csv", compression: "gzip", partBytes: 100 });
  expect(await partsOf(memorySource(columns, []), chosen)).toEqual([]);
});

test.each([
  ["csv", "a,b\r\n"],
  ["jsonl", ""],
] as const)("hashes and lengths of %s are of the bytes, and of what they hold", async (format, header) => {
  const [part] = await partsOf(
    memorySource(columns, ['{"a":"1"}']),
    profile({ format, compression: "gzip", partBytes: 100 }),
  );
  const plain = gunzipSync(part?.bytes ?? "");
  expect(plain.toString().startsWith(header)).toBe(true);
  expect(part?.facts).toEqual({
    dataset: "listing",
    content: "rows",
    mediaType: format === "csv" ? "text/csv" : "application/x-ndjson",
    contentEncoding: "gzip",
    byteLength: part?.bytes.length,
    sha256: sha256(part?.bytes ?? Buffer.alloc(0)),
    uncompressedByteLength: plain.length,
    uncompressedSha256: sha256(plain),
    rowCount: 1,
    removalCount: 0,
    firstKey: null,
    lastKey: null,
  });
});

test("gzip has the same bytes everywhere", async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `{"a":"${(i * 7919) % 1000}","b":"${i % 97} é"}`);
  const [part] = await partsOf(
    memorySource(columns, lines),
    profile({ format: "jsonl", compression: "gzip", partBytes: 10_000_000 }),
  );
  // Magic, deflate, no flags, no time, no extra flags, an unknown system. Source: RFC 1952, section 2.3.
  expect(part?.bytes.subarray(0, 10).toString("hex")).toBe("1f8b08000000000000ff");
  expect(part?.facts.sha256).toMatchInlineSnapshot(
    `"fa1c488fca9d6defb7fc402ea2385d896683be339a0e25709940126dee95df48"`,
  );
});

test("a part that cannot be written leaves the source closed", async () => {
  let isOpen = false;
  const source = {
    ...memorySource(columns, []),
    read: async function* () {
      isOpen = true;
      try {
        for (;;) yield { lines: Buffer.from('{"z":1}\n'), length: 1, end: "1" };
      } finally {
        isOpen = false;
      }
    },
  };
  const chosen = profile({ format: "csv", compression: "gzip", partBytes: 100 });
  await expect(partsOf(source, chosen)).rejects.toMatchObject({ code: "invalid_record" });
  expect(isOpen).toBe(false);
});

describe("part numbers", () => {
  const numbers = Array.from({ length: 1000 }, (_, ordinal) => partNumber(ordinal));

  test("are positive, distinct, not in order and not contiguous", () => {
    expect(numbers.slice(0, 4)).toEqual([10, 3, 24, 17]);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(Math.min(...numbers)).toBe(3);
  });

  test("are in names", () => {
    expect(
      partName({ dataset: "listing", content: "rows" }, 10, { format: "jsonl", compression: "gzip" }),
    ).toBe("listing-00010.jsonl.gz");
    const removals = { dataset: "listing", content: "removals" } as const;
    expect(partName(removals, 3, { format: "parquet", compression: "zstd" })).toBe(
      "listing-00003.removals.parquet",
    );
  });
});
