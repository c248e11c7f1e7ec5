import type { Row } from "@cadastre/odata";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bare, ingestText, openEmptyStore } from "../support/ingesting.ts";

let opened: Awaited<ReturnType<typeof openEmptyStore>>;
beforeAll(async () => {
  opened = await openEmptyStore();
});
afterAll(() => opened.close());

const ingestRecords = (records: readonly object[]) =>
  ingestText(opened.store, "Property", records.map((record) => JSON.stringify(record)).join("\n"));

describe("a line of the rejects file", () => {
  test.each<[string, string, Row, unknown]>([
    ["a text in place of a number", "ListPrice", { ListPrice: "dear" }, "dear"],
    ["a number of too many digits", "ListPrice", { ListPrice: 1.005 }, "1.005"],
    ["no value of the lookup", "StandardStatus", { StandardStatus: "Activ" }, "Activ"],
    ["a text in place of a list", "Appliances", { Appliances: { a: [1] } }, '{"a":[1]}'],
    ["a long value, cut", "ListPrice", { ListPrice: "9".repeat(100) }, `${"9".repeat(64)}…`],
    ["a control character", "ListPrice", { ListPrice: "a\u001b[2Jb\u009b" }, "a?[2Jb?"],
    ["another system", "OriginatingSystemName", { OriginatingSystemName: "Nowhere MLS" }, "Nowhere MLS"],
  ])("has the key and the value of %s", async (_, field, change, value) => {
    const { rejects } = await ingestRecords([bare("told", change)]);
    expect(rejects).toEqual([expect.objectContaining({ line: 1, key: "told", field, value })]);
  });

  test.each<[string, string, Row]>([
    ["a free text", "PublicRemarks", { PublicRemarks: 5 }],
    ["a text that is too long", "City", { City: "x".repeat(5000) }],
    ["what lets somebody in", "LockBoxType", { LockBoxType: ["4711"] }],
    ["a field that is not known", "OwnerCell", { OwnerCell: "555-0100" }],
    ["a field without a value", "ModificationTimestamp", { ModificationTimestamp: null }],
  ])("has the key, and not the value, of %s", async (_, field, change) => {
    const { rejects } = await ingestRecords([bare("kept", change)]);
    expect(rejects).toEqual([expect.objectContaining({ key: "kept", field })]);
    expect(rejects[0]).not.toHaveProperty("value");
  });

  test("has a key that is cut, and null where there is none", async () => {
    const { rejects } = await ingestRecords([bare("k".repeat(1000)), [], bare("", { ListingKey: 7 })]);
    expect(rejects.map(({ line, key }) => [line, key])).toEqual([
      [1, `${"k".repeat(255)}…`],
      [2, null],
      [3, null],
    ]);
  });
});

test("the report counts the rejected records by reason and field, with the first as an example", async () => {
  const faulty = (key: string, more: Row = {}) => bare(key, { ListPrice: `of ${key}`, ...more });
  const { rejected, reasons } = await ingestRecords([bare("a"), faulty("b", { Nope: 1 }), faulty("c")]);
  expect(rejected).toBe(2);
  expect(reasons).toEqual([
    expect.objectContaining({
      code: "wrong_type",
      field: "ListPrice",
      records: 2,
      example: { line: 2, key: "b", value: "of b" },
    }),
    expect.objectContaining({
      code: "unknown_field",
      field: "Nope",
      records: 1,
      example: { line: 2, key: "b" },
    }),
  ]);
});

test("reasons of a file with ever new fields are bounded", async () => {
  const { reasons } = await ingestRecords(
    Array.from({ length: 1500 }, (_, i) => bare(`many-${i}`, { [`Field${i}`]: 1 })),
  );
  expect(reasons.length).toBeLessThanOrEqual(1000);
});

describe("a CSV column without a field", () => {
  const head = "ListingKey,ModificationTimestamp,OriginatingSystemName";
  const rowOf = (key: string, more: string) => {
    const { ModificationTimestamp, OriginatingSystemName } = bare(key);
    return `${key},${ModificationTimestamp},${OriginatingSystemName},${more}`;
  };
  const ingestCsv = (columns: string, ...rows: readonly string[]) =>
    ingestText(opened.store, "Property", [`${head},${columns}`, ...rows].join("\n"), { format: "csv" });

  test("refuses the file before anything is staged, with near names and what to do", async () => {
    const before = await opened.store.builds.keys("Property", "lonestar");
    const refused = ingestCsv("ListPrise,Zorp", rowOf("x", "1,"), rowOf("y", "1,2"));
    await expect(refused).rejects.toThrow(
      "Property has no field for the columns `ListPrise` (did you mean `ListPrice`?), `Zorp`: nothing of text is staged",
    );
    for (const cure of [
      "`rename`",
      "`drop`",
      "`unknownFields: drop`",
      "cadastre field add",
      "cadastre system learn",
    ])
      await expect(refused).rejects.toThrow(cure);
    expect(await opened.store.builds.keys("Property", "lonestar")).toEqual(before);
  });

  test("is ignored where no record has a value in it", async () => {
    expect(await ingestCsv("Zorp", rowOf("x", ""))).toMatchObject({ staged: 1, rejected: 0 });
  });
});
