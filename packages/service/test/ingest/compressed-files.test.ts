import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { formatOf } from "../../src/ingest/format.ts";
import { IngestError } from "../../src/ingest/ingest-error.ts";
import { withInput } from "../../src/ingest/input.ts";
import { type ZippedFile, zipOf } from "../support/zip-writer.ts";

const folder = mkdtempSync(join(tmpdir(), "cadastre-zip-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileOf(bytes: Buffer, name = "archive"): string {
  const file = join(folder, `${++files}-${name}`);
  writeFileSync(file, bytes);
  return file;
}

/** Reads all parts of a file. */
const partsOf = (file: string) =>
  withInput(file, folder, async ({ parts }) => {
    const read: { name: string; text: string }[] = [];
    for (const { name, read: contentOf } of parts) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of contentOf(() => {})) chunks.push(chunk);
      read.push({ name, text: Buffer.concat(chunks).toString("latin1") });
    }
    return read;
  });

/** Returns the parts of a file; the message if it is refused. */
const outcomeOf = (bytes: Buffer) =>
  partsOf(fileOf(bytes)).catch((error: unknown) => {
    if (error instanceof IngestError) return error.message;
    throw error;
  });

const file = (name: string, text: string, more: Partial<ZippedFile> = {}): ZippedFile => ({
  name,
  content: Buffer.from(text),
  ...more,
});

const archives = fc.record({
  files: fc.array(
    fc.record({
      name: fc.stringMatching(/^[a-z/é]{1,12}\.csv$/),
      content: fc
        .oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.nat(100_000).map((length) => new Uint8Array(length)),
        )
        .map((bytes) => Buffer.from(bytes)),
      stored: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  options: fc.record({ zip64: fc.boolean(), comment: fc.stringMatching(/^[ -~]{0,20}$/) }),
});
const expected = (given: readonly ZippedFile[]) =>
  given.map(({ name, content }) => ({ name, text: content.toString("latin1") }));

test("files of a zip archive are read, deflated and stored, in ZIP64 too", () =>
  fc.assert(
    fc.asyncProperty(archives, async ({ files: given, options }) => {
      expect(await outcomeOf(zipOf(given, options))).toEqual(expected(given));
    }),
    { numRuns: 60 },
  ));

test("an archive that is cut off or has a changed bit is refused, or read as it was", () =>
  fc.assert(
    fc.asyncProperty(archives, fc.nat(), fc.nat(7), fc.boolean(), async (archive, place, bit, isCut) => {
      const bytes = zipOf(archive.files, archive.options);
      const at = place % bytes.length;
      if (isCut && at < 4) return;
      if (isCut) expect(await outcomeOf(bytes.subarray(0, at))).toEqual(expect.any(String));
      else {
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        const outcome = await outcomeOf(bytes);
        if (typeof outcome !== "string") expect(outcome).toEqual(expected(archive.files));
      }
    }),
    { numRuns: 400 },
  ));

test("a gzip that is cut off or has a changed bit is refused, or read as it was", () =>
  fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.nat(7),
      async (text, place, bit) => {
        const bytes = gzipSync(text);
        const at = 2 + (place % (bytes.length - 2));
        expect(await outcomeOf(bytes.subarray(0, at))).toEqual(expect.any(String));
        bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
        const outcome = await outcomeOf(bytes);
        const before = Buffer.from(text).toString("latin1");
        if (typeof outcome !== "string") expect(outcome).toMatchObject([{ text: before }]);
      },
    ),
    { numRuns: 100 },
  ));

test("folders and files that macOS adds are left out", async () => {
  const given = [file("data/", ""), file("data/a.csv", "A\n1\n"), file("__MACOSX/data/._a.csv", "x")];
  expect(await outcomeOf(zipOf(given))).toEqual([{ name: "data/a.csv", text: "A\n1\n" }]);
});

test("an archive of the program zip is read", async () => {
  writeFileSync(join(folder, "a.csv"), "A\n1\n");
  try {
    execFileSync("zip", ["-q", "own.zip", "a.csv"], { cwd: folder });
    execFileSync("sh", ["-c", "cat a.csv | zip -q streamed.zip -"], { cwd: folder });
  } catch {
    console.warn("the program zip is not installed: its archives are not tested");
    return;
  }
  expect(await partsOf(join(folder, "own.zip"))).toEqual([{ name: "a.csv", text: "A\n1\n" }]);
  // Its lengths come after the content.
  expect(await partsOf(join(folder, "streamed.zip"))).toEqual([{ name: "-", text: "A\n1\n" }]);
});

test.each<[string, Buffer, RegExp]>([
  ["an encrypted file", zipOf([file("a.csv", "A", { flags: 1 })]), /a\.csv is encrypted: unzip it/],
  [
    "another method",
    zipOf([file("a.csv", "A", { method: 12 })]),
    /a\.csv is compressed by method 12: unzip it/,
  ],
  ["an archive without files", zipOf([file("a/", "")]), /is a zip archive without files/],
  ["no archive", Buffer.from("PK\u0003\u0004junk"), /is a damaged zip archive: .*Fetch it again/],
  [
    "a bomb in zip",
    zipOf([file("a.csv", "0".repeat(70_000_000))]),
    /200 times its size .* ingest the plain file/,
  ],
  ["a bomb in gzip", gzipSync("0".repeat(70_000_000)), /200 times its size .* ingest the plain file/],
])("%s is refused", async (_, bytes, says) => {
  expect(await outcomeOf(bytes)).toMatch(says);
});

test("a length that lies does not unpack more than it says", async () => {
  const bytes = zipOf([file("a.csv", "A\n".repeat(1000))]);
  for (
    let at = bytes.indexOf(Buffer.from([0xd0, 0x07]));
    at >= 0;
    at = bytes.indexOf(Buffer.from([0xd0, 0x07]), at + 1)
  )
    bytes.writeUInt16LE(10, at);
  expect(await outcomeOf(bytes)).toMatch(/a\.csv is not whole/);
});

test("the files of an archive have one format", async () => {
  const place = fileOf(zipOf([file("a.csv", "A\n"), file("b.jsonl", "{}\n")]), "two.zip");
  await expect(withInput(place, folder, async (input) => formatOf(input))).rejects.toThrow(
    /holds files of several formats \(csv, jsonl\)/,
  );
});
