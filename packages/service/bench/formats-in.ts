// Rate at which ingest reads the formats of files, in MB of the file per second of CPU time of this process: the best of so many rounds.
// Records are only read, neither checked nor stored. Each file holds the same generated listings, as many as fill so many MB of JSON lines.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/bench/formats-in.ts [megabytes] [rounds]
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Row } from "@cadastre/odata";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { ownCpuTime } from "@cadastre/store/testing";
import { type Format, formats } from "../src/ingest/format.ts";
import { readers } from "../src/ingest/read-records.ts";
import { recordsOf } from "./records.ts";

const { entitySet } = sampleCatalog;

const megabytes = Number(process.argv[2] ?? 100);
const rounds = Number(process.argv[3] ?? 3);
/** Least rate of Common Format divided by that of JSON lines, which is the same on every machine. */
const least = 0.5;
const property = entitySet("Property");
const maxListings = 1_000_000;

/** Yields the listings as JSON texts. */
function* listingTexts(): Generator<string> {
  let bytes = 0;
  for (const { record } of recordsOf("dictionary", maxListings)) {
    const text = JSON.stringify(record);
    bytes += Buffer.byteLength(text);
    if (bytes > megabytes * 1e6) return;
    yield text;
  }
}

/** Writers of the formats. Each yields the text of a file with these listings. */
const writers: Readonly<Record<Format, (texts: readonly string[]) => Generator<string>>> = {
  *common(texts) {
    yield '{"@reso.context":"urn:reso:metadata:2.0:resource:property","value":[\n';
    for (const [i, text] of texts.entries()) yield i === 0 ? text : `,\n${text}`;
    yield "]}";
  },
  *jsonl(texts) {
    for (const text of texts) yield `${text}\n`;
  },
  *csv(texts) {
    const rows = texts.map((text) => JSON.parse(text) as Row);
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    yield `${names.join(",")}\r\n`;
    for (const row of rows) yield `${names.map((name) => cellOf(row[name])).join(",")}\r\n`;
  },
};

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const texts = [...listingTexts()];
const folder = mkdtempSync(join(tmpdir(), "cadastre-formats-"));
const rates = new Map<Format, number>();
try {
  for (const format of formats) {
    const file = join(folder, format);
    await writeFile(file, writers[format](texts));
    const size = statSync(file).size / 1e6;
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const before = ownCpuTime();
      let [entries, malformed] = [0, 0];
      for await (const entry of readers[format](createReadStream(file), property)) {
        entries++;
        if (!("record" in entry)) malformed++;
      }
      best = Math.min(best, ownCpuTime() - before);
      if (entries !== texts.length || malformed > 0)
        throw new Error(`${format}: read ${entries} of ${texts.length} records, ${malformed} malformed`);
    }
    rates.set(format, (size * 1000) / best);
    console.log(
      `${format}: ${((size * 1000) / best).toFixed(1)} MB/s of CPU time, ${Math.round((texts.length * 1000) / best)} records/s (${size.toFixed(0)} MB, ${texts.length} records)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

const ratio = (rates.get("common") ?? 0) / (rates.get("jsonl") ?? 0);
console.log(`rate of Common Format ÷ rate of JSON lines: ${ratio.toFixed(2)}`);
if (ratio < least) {
  console.error(`Common Format is read more slowly than it should be: the ratio is to be at least ${least}`);
  process.exitCode = 1;
}
