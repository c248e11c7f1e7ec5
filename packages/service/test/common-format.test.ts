import { sampleCatalog } from "@cadastre/sample/catalog";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entry } from "../src/ingest/entry.ts";
import { parseJson } from "../src/ingest/exact-json.ts";
import { formatOf } from "../src/ingest/format.ts";
import { readCommonFormat } from "../src/ingest/read-common-format.ts";
import { maxLine } from "../src/ingest/read-lines.ts";

const { entitySet } = sampleCatalog;

const context = "urn:reso:metadata:2.0:resource:office";

/** A text in pieces of so many bytes. */
async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function read(text: string, size = 1000): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of readCommonFormat(pieces(text, size), entitySet("Office"))) entries.push(entry);
  return entries;
}

const documentOf = (value: readonly unknown[]) => JSON.stringify({ "@reso.context": context, value });

test("a document gives what it holds, wherever its bytes are cut", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.dictionary(
          fc.string().filter((name) => !name.includes("@")),
          fc.jsonValue(),
        ),
      ),
      fc.integer({ min: 1, max: 50 }),
      async (records, size) => {
        // Numbers that no double holds keep their digits, as in JSON lines.
        const value = parseJson(JSON.stringify(records)) as readonly unknown[];
        const expected = value.map((record, i) => ({ line: i + 1, record }));
        expect(await read(documentOf(records), size)).toEqual(expected);
      },
    ),
  ));

test("annotations are left out, and other members of the document passed over", async () => {
  const text = `\uFEFF{ "@reso.context": "${context.toUpperCase()}", "@odata.count": 1, "note": {"value": [1]},
    "value": [ {"OfficeKey": "1", "@odata.id": "x", "OfficeName@note": "y", "OfficeName": null}, 7 ], "end": [[]] }`;
  expect(await read(text)).toEqual([
    { line: 1, record: { OfficeKey: "1", OfficeName: null } },
    { line: 2, malformed: "not a JSON object" },
  ]);
});

test("a document without a list is a record itself", async () => {
  const text = JSON.stringify({ "@reso.context": context, OfficeKey: "1", OfficePhone: "2" });
  expect(await read(text)).toEqual([{ line: 1, record: { OfficeKey: "1", OfficePhone: "2" } }]);
});

test("a member that occurs twice in one object makes its record malformed", async () => {
  const malformed = expect.stringContaining("`OfficeName` occurs twice") as string;
  const twice = '{"OfficeKey":"1","OfficeName":"a","OfficeName":"b"}';
  const text = `{"@reso.context":"${context}","note":{"a":1,"a":2},"value":[{"OfficeKey":"0"},${twice},{"OfficeKey":"2"}]}`;
  expect(await read(text)).toEqual([
    { line: 1, record: { OfficeKey: "0" } },
    { line: 2, malformed },
    { line: 3, record: { OfficeKey: "2" } },
  ]);
  expect(await read(`{"@reso.context":"${context}",${twice.slice(1)}`)).toEqual([{ line: 1, malformed }]);
});

test("an empty list is no record", async () => {
  expect(await read(documentOf([]))).toEqual([]);
});

describe("refused is", () => {
  test.each([
    ["a list", "[]", "is one JSON object"],
    ["a text", '"x"', "is one JSON object"],
    ["no context", '{"value": []}', "behind its `@reso.context`"],
    [
      "a context behind the list",
      `{"value": [], "@reso.context": "${context}"}`,
      "behind its `@reso.context`",
    ],
    ["a value that is no list", `{"@reso.context": "${context}", "value": {}}`, "a list `value`"],
    ["another resource", documentOf([]).replace("office", "member"), "does not name Office: see --resource"],
    ["another context", documentOf([]).replace("urn:", "uri:"), "does not name Office"],
    ["no JSON", "<x>", "no JSON behind record 0"],
    ["what breaks off", documentOf([{}, {}]).slice(0, -4), "no JSON behind record"],
    ["what goes on", `${documentOf([{}])}{}`, "no JSON behind record"],
  ])("%s", async (_, text, sentence) => {
    await expect(read(text)).rejects.toThrow(sentence);
  });

  test("a record that would not end", async () => {
    const text = documentOf([{ OfficeKey: "1" }, { OfficeName: "x".repeat(maxLine) }]);
    await expect(read(text, 65_536)).rejects.toThrow(`is longer than ${maxLine} bytes`);
  });
});

test.each([
  ["office.json", `{\n  "@reso.context": "${context}",`, "common"],
  ["office.gz", '\uFEFF{"value":[', "common"],
  ["office.json", '{"OfficeKey": "1"}', "jsonl"],
  ["office.jsonl", '{"@reso.context"', "jsonl"],
  ["office", "", "jsonl"],
  ["office", "OfficeKey,OfficeName\n", "csv"],
  ["office.csv.gz", "{", "csv"],
])("%s that begins with %j is %s", (name, start, format) => {
  expect(formatOf({ name, parts: [{ name, start }] })).toBe(format);
});
