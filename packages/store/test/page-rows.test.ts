import { type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { StructuralProperty } from "@cadastre/odata";
import { propertyNode } from "@cadastre/odata/tree";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TextRow } from "../src/postgres/connection/round-trip.ts";
import { PageRows } from "../src/postgres/read/page-rows.ts";
import { encodeRecord } from "../src/record/encode.ts";
import { numberMembers } from "../src/record/members.ts";
import { planRecord } from "../src/record/plan.ts";
import { recordChecksum } from "../src/record/record-checksum.ts";

const property: StructuralProperty = { name: "Text", type: "Edm.String", collection: false, nullable: true };
const type = { name: "T", key: [], properties: new Map([["Text", property]]) };
const { members } = numberMembers(type, []);

/** Returns the row of a record, as the server sends it. */
function rowOf(record: { readonly Text: string }): TextRow {
  const { text, members: index } = encodeRecord(record, members);
  return [null, text, index, String(recordChecksum(null, index, text))];
}

/** Returns an empty page for so many records with their text, or with none of their members. */
function pageFor(top: number, shown: "text" | "nothing"): PageRows {
  const select = shown === "text" ? [{ property, expression: propertyNode(property) }] : [];
  const { plan } = planRecord(select, members, false);
  const statement = { text: "", values: [] };
  const of = { current: statement, further: [], skip: 0, lines: true, keys: false, key: 0, computed: [] };
  return new PageRows({ ...of, top, plan: { id: 0, plan } });
}

test("a page has the texts of its rows, however long they are", () => {
  const text = fc
    .record({ unit: fc.constantFrom("a", "é", "😀"), times: fc.integer({ min: 0, max: 100_000 }) })
    .map(({ unit, times }) => unit.repeat(times));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), (texts) => {
      const page = pageFor(texts.length, "text");
      for (const Text of texts) page.add(rowOf({ Text }));
      const { records, release } = page.finish();
      const lines = Buffer.from(records).toString().split("\n").slice(0, -1);
      release?.();
      expect(lines.map((line): unknown => JSON.parse(line))).toEqual(texts.map((Text) => ({ Text })));
    }),
    { numRuns: 60 },
  );
});

test("after some megabytes of rows young garbage is collected, with that of the connection", async () => {
  const seen: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void seen.push(...list.getEntries()));
  const page = pageFor(1000, "nothing");
  const row = rowOf({ Text: "x".repeat(5000) });
  for (let i = 0; i < 1000; i++) page.add(row);
  observer.observe({ entryTypes: ["gc"] });
  page.finish();
  await setImmediate();
  seen.push(...observer.takeRecords());
  observer.disconnect();
  expect(seen.length).toBeGreaterThan(0);
});

test("a row makes no buffer, which would have V8 collect all garbage after some pages", () => {
  const row = rowOf({ Text: "x".repeat(5000) });
  const page = pageFor(3000, "nothing");
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 3000; i++) page.add(row);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  expect(page.finish().length).toBe(3000);
});
