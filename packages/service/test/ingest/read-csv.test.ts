import { sampleCatalog } from "@cadastre/sample/catalog";
import { expect, test } from "vitest";
import type { Entry } from "../../src/ingest/entry.ts";
import { readers } from "../../src/ingest/read-records.ts";

const { entitySet } = sampleCatalog;

async function read(bytes: Buffer, size = 5): Promise<readonly Entry[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
  }
  const entries: Entry[] = [];
  for await (const entry of readers.csv(chunks(), entitySet("Office"))) entries.push(entry);
  return entries;
}

const delimiters = [
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "bars"],
] as const;

test.each(delimiters)("cells separated by %j are read, with quoted line breaks and %s", async (cut) => {
  const rows = [
    ["OfficeKey", "OfficeName", "OfficeCity"],
    ["1", `"a${cut}\r\n""b"", é"`, "x"],
    ["2", "", "y, z".replaceAll(cut, " ")],
  ];
  const text = `\uFEFF${rows.map((cells) => cells.join(cut)).join("\r\n")}\r\n`;
  for (const size of [1, 7, 1000]) {
    const entries = await read(Buffer.from(text), size);
    expect(entries.map((entry) => ("record" in entry ? entry.record : entry))).toEqual([
      { OfficeKey: "1", OfficeName: `a${cut}\r\n"b", é`, OfficeCity: "x" },
      { OfficeKey: "2", OfficeCity: "y, z".replaceAll(cut, " ") },
    ]);
  }
});

test.each([1, 6, 1000])("a line that is not UTF-8 is named, in chunks of %i bytes", async (size) => {
  const text = "OfficeKey,OfficeName\n1,a\n2,Caf\u00e9\n3,b\n";
  await expect(read(Buffer.from(text, "latin1"), size)).rejects.toThrow(
    "line 3 is not UTF-8: convert the file, for example with `iconv -f windows-1252 -t utf-8`",
  );
});

test.each(["Office Key", "office_key", "OFFICEKEY"])(
  "the column `%s` is refused with the name of the field",
  async (column) => {
    await expect(read(Buffer.from(`OfficeName,${column}\na,1\n`))).rejects.toThrow(
      `the column \`${column}\` is not a field: rename it to \`OfficeKey\``,
    );
  },
);

test("an empty file has no records", async () => {
  expect(await read(Buffer.alloc(0))).toEqual([]);
});

test("of columns with the same name the last one counts, whatever the name is", async () => {
  const text = "OfficeKey,OfficeName,__proto__,OfficeName\n1,a,b,c\n2,a,b,\n";
  expect(await read(Buffer.from(text))).toEqual([
    { line: 2, record: { OfficeKey: "1", OfficeName: "c", ["__proto__"]: "b" } },
    { line: 3, record: { OfficeKey: "2", ["__proto__"]: "b" } },
  ]);
});

test("a line with more or fewer cells than the first line is told, and the others are read", async () => {
  const text = "OfficeKey,OfficeName\n1\n2,a\n3,a,b\n\n4,b\n";
  const entries = await read(Buffer.from(text));
  expect(entries.toSorted((a, b) => a.line - b.line)).toEqual([
    { line: 2, malformed: "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH" },
    { line: 3, record: { OfficeKey: "2", OfficeName: "a" } },
    { line: 4, malformed: "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH" },
    { line: 6, record: { OfficeKey: "4", OfficeName: "b" } },
  ]);
});
