import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { datasetStart } from "../../src/build/part-text.ts";
import { type ExportSource, writePart } from "../../src/index.ts";
import { reasonColumn, removalColumns } from "../../src/source/delta.ts";
import { askDuckDb } from "../../src/testing/duckdb.ts";
import { profile } from "../support/parts.ts";
import { anyScope } from "../support/scope.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-removals-"));
afterAll(() => rmSync(folder, { recursive: true }));

const key = { name: "ListingKey", type: "string", collection: false, nullable: false } as const;
const gone = ["a", "b,c"].map((ListingKey) => ({ ListingKey, removalReason: "deleted" }));

const source: ExportSource = {
  checkpoint: async () => 2,
  columns: () => [key],
  read: async function* ({ changes, columns }) {
    expect(changes).toEqual({ since: 1, content: "removals" });
    expect(columns).toEqual(["ListingKey", reasonColumn.name]);
    yield {
      lines: Buffer.from(gone.map((one) => `${JSON.stringify(one)}\n`).join("")),
      length: 2,
      end: "b,c",
    };
  },
};

test.each([
  ["jsonl", "none"],
  ["csv", "none"],
  ["parquet", "zstd"],
] as const)(
  "removals as %s have the key and the reason, and are counted as such",
  async (format, compression) => {
    const file = join(folder, format);
    const written = await writePart(
      {
        source,
        profile: profile({ format, compression, partBytes: 1 << 16 }),
        dataset: "listing",
        keyField: "ListingKey",
        scope: anyScope,
        columns: removalColumns("ListingKey", [key], true),
        checkpoint: 2,
        changes: { since: 1, content: "removals" },
        start: datasetStart,
      },
      file,
    );
    expect(written?.facts).toMatchObject({
      content: "removals",
      rowCount: 0,
      removalCount: 2,
      firstKey: "a",
      lastKey: "b,c",
    });
    if (format === "parquet") expect(await askDuckDb(`from read_parquet('${file}')`)).toEqual(gone);
    else
      expect(readFileSync(file, "utf8")).toBe(
        format === "csv"
          ? 'ListingKey,removalReason\r\na,deleted\r\n"b,c",deleted\r\n'
          : gone.map((one) => `${JSON.stringify(one)}\n`).join(""),
      );
  },
);
