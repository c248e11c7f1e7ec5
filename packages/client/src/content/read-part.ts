import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ManifestPart, ManifestProfile } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { diskFailure, isErrorOfSystem } from "../fetch/disk.ts";
import { csvRecords } from "./csv.ts";
import { jsonLines } from "./json-lines.ts";

/** A part and its file. */
export type PartFile = {
  readonly file: string;
  readonly part: ManifestPart;
  readonly profile: ManifestProfile;
};

/** Readers of the text formats. */
const readers = { jsonl: jsonLines, csv: csvRecords } as const;

/** True for formats whose records this package can read itself. */
export const isText = (format: ManifestProfile["format"]): format is keyof typeof readers =>
  format in readers;

/**
 * Reads the records of a part in a text format as JSON texts. If it is read to its end without an error, its length, hash and number of
 * records match the manifest.
 *
 * @throws {ClientError} at the first difference, at the latest at the end
 */
export async function* readPart({ file, part, profile }: PartFile): AsyncGenerator<readonly string[]> {
  if (!isText(profile.format)) throw new TypeError(`${profile.format} is no text`);
  let rows = 0;
  for await (const batch of readers[profile.format](unpacked(file, part), part, profile)) {
    rows += batch.length;
    yield batch;
  }
  if (rows !== part.rowCount + part.removalCount)
    throw new ClientError("part_count_differs", { part: String(part.number), rows: String(rows) });
}

/** Yields the bytes of a part without its content encoding, and checks length and hash at their end. */
async function* unpacked(file: string, part: ManifestPart): AsyncGenerator<Uint8Array> {
  const differs = () => new ClientError("part_content_differs", { part: String(part.number) });
  const hash = createHash("sha256");
  let length = 0;
  try {
    for await (const chunk of plain(file, part) as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      // A small file can unpack to a large one.
      if (length > part.uncompressedByteLength) throw differs();
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (isZlibError(error)) throw differs();
    throw isErrorOfSystem(error) ? diskFailure(error, file) : error;
  }
  if (length !== part.uncompressedByteLength || hash.digest("hex") !== part.uncompressedSha256)
    throw differs();
}

function plain(file: string, { contentEncoding }: ManifestPart): Readable {
  const packed = createReadStream(file, { highWaterMark: 1 << 20 });
  if (contentEncoding === null) return packed;
  const gunzip = createGunzip({ chunkSize: 1 << 18 });
  packed.once("error", (error) => gunzip.destroy(error));
  gunzip.once("close", () => packed.destroy());
  return packed.pipe(gunzip);
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
