import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { Duplex, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type { Scope } from "@cadastre/entitlement";
import { type ManifestPart, mediaTypes } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import { isPlainText } from "../exports/export-request.ts";
import { CsvEncoder } from "../format/csv.ts";
import { ExactLines } from "../format/exact-lines.ts";
import { gzip } from "../format/gzip.ts";
import { writeParquet } from "../format/parquet.ts";
import { type Digest, Digester, Digesting, fileDigest } from "../parts/digest.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import type { ExportChanges, ExportColumn, ExportSource } from "../source/export-source.ts";
import { type PartStart, PartText } from "./part-text.ts";

/**
 * Writes pieces to `to`, through the streams `through`. The next piece is requested only after the first stream has processed the one
 * before, so pieces need not be copied, and their buffer may be reused.
 */
async function pump(
  pieces: AsyncIterable<Uint8Array>,
  through: readonly Duplex[],
  to: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const first = through[0] ?? to;
  const flow =
    through.length === 0 ? finished(to, { signal }) : pipeline([...through, to] as Duplex[], { signal });
  // Awaited below. Without this a failure before that would be an unhandled rejection.
  flow.catch(() => undefined);
  try {
    for await (const piece of pieces) await Promise.race([written(first, piece), flow]);
    first.end();
  } catch (error) {
    first.destroy(error instanceof Error ? error : new Error(String(error)));
  }
  await flow;
}

const written = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** Everything that the bytes of a part depend on. */
export type PartRequest = {
  readonly source: ExportSource;
  readonly profile: OutputProfile;
  readonly dataset: string;
  /** Name of the key column. */
  readonly keyField: string;
  readonly scope: Scope;
  /** Columns to write: those of the dataset that the profile selects and the scope shows, or those of removals. */
  readonly columns: readonly ExportColumn[];
  readonly checkpoint: number;
  /** Changes to write; by default all records. */
  readonly changes?: ExportChanges | undefined;
  readonly start: PartStart;
};

/** Facts of the manifest about a part, without its number and name. */
export type WrittenPart = {
  readonly facts: Omit<ManifestPart, "number" | "name">;
  /** Start of the next part; null if there is none. */
  readonly end: PartStart | null;
};

/**
 * Writes a part to a new file. Returns undefined, and creates no file, if there is no record from its start on. If it throws, the file, or
 * one with its name and a suffix, may be left behind.
 *
 * @throws {DeliveryError} and errors of the source
 */
export async function writePart(
  request: PartRequest,
  file: string,
  signal?: AbortSignal,
): Promise<WrittenPart | undefined> {
  const { source, profile, dataset, scope, columns, checkpoint, changes, start } = request;
  const names = columns.map(({ name }) => name);
  const read = { dataset, scope, columns: names, checkpoint, changes, filter: profile.filter, signal };
  const text = new PartText(source, read, start, profile.partBytes);
  const lines = text.read();
  try {
    const first = await lines.next();
    if (first.done === true) return undefined;
    const write = profile.format === "parquet" ? writeRows : writeText;
    const digests = await write(following(first.value, lines), request, file, signal);
    return { facts: factsOf(request, text, digests), end: text.end };
  } finally {
    await lines.return(undefined);
  }
}

function factsOf(
  { dataset, keyField, profile, changes }: PartRequest,
  { rowCount: records, firstLine, lastLine }: PartText,
  { packed, plain }: Digests,
): WrittenPart["facts"] {
  const content = changes?.content ?? "rows";
  return {
    dataset,
    content,
    mediaType: mediaTypes[profile.format],
    contentEncoding: profile.compression === "gzip" ? "gzip" : null,
    ...packed,
    uncompressedByteLength: plain.byteLength,
    uncompressedSha256: plain.sha256,
    rowCount: content === "rows" ? records : 0,
    removalCount: content === "removals" ? records : 0,
    firstKey: keyIn(firstLine, keyField),
    lastKey: keyIn(lastLine, keyField),
  };
}

/** Longest key that a manifest states, in UTF-16 code units. */
const longestKey = 1024;

/** Returns the key of a record for the manifest; null for one that its canonical form does not allow, or that is long. */
function keyIn(line: string, keyField: string): string | null {
  const key = (JSON.parse(line) as Readonly<Record<string, unknown>>)[keyField];
  return typeof key === "string" && key.length <= longestKey && isPlainText(key) ? key : null;
}

type Lines = AsyncIterable<Uint8Array>;

/** Digests of the file, and of its content with the content encoding undone. */
type Digests = { readonly packed: Digest; readonly plain: Digest };

async function* following(first: Uint8Array, rest: Lines): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function writeText(
  lines: Lines,
  { profile, columns }: PartRequest,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Digests> {
  const text = new Digester();
  const pieces = text.over(profile.format === "csv" ? csvOf(lines, columns) : lines);
  const bytes = createWriteStream(file, newFile);
  if (profile.compression !== "gzip") {
    await pump(pieces, [], bytes, signal);
    const plain = text.digest();
    return { plain, packed: plain };
  }
  const packed = new Digesting();
  await pump(pieces, [...gzip(), packed], bytes, signal);
  return { plain: text.digest(), packed: packed.digest() };
}

/** Creates a file that only its owner may read. Fails if the file exists. */
const newFile = { flags: "wx", mode: 0o600 } as const;

async function* csvOf(lines: Lines, columns: readonly ExportColumn[]): AsyncGenerator<Uint8Array> {
  const csv = new CsvEncoder(columns.map(({ name }) => name));
  yield csv.header();
  for await (const some of lines) yield csv.encode(some);
}

async function writeRows(
  lines: Lines,
  { profile, columns }: PartRequest,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Digests> {
  if (profile.parquet === null) throw new DeliveryError("invalid_profile", "Parquet without its options");
  const from = `${file}.lines`;
  await pump(exactOf(lines, columns), [], createWriteStream(from, newFile), signal);
  const folder = `${file}.spill`;
  await writeParquet({ ...profile.parquet, columns, from, to: file, folder, memory }, signal);
  await Promise.all([from, folder].map((done) => rm(done, { recursive: true, force: true })));
  const digest = await fileDigest(file, signal);
  return { packed: digest, plain: digest };
}

/**
 * Memory limit of DuckDB, in megabytes. For 900 columns DuckDB allocates 256 KiB per column several times over, but hardly touches it: its
 * resident memory is a quarter of this limit.
 */
const memory = 1536;

async function* exactOf(lines: Lines, columns: readonly ExportColumn[]): AsyncGenerator<Uint8Array> {
  const exact = new ExactLines(columns);
  for await (const some of lines) yield exact.encode(some);
}
