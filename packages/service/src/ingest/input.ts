import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { fileReason } from "../file-error.ts";
import type { Entry } from "./entry.ts";
import { IngestError } from "./ingest-error.ts";
import { readZip } from "./zip-archive.ts";

/** A file that can be read several times. */
export type Input = {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the file in hexadecimal, which identifies it. */
  readonly sha256: string;
  /** The files of a zip archive. For any other file, the file itself. */
  readonly parts: readonly InputPart[];
};

export type InputPart = {
  readonly name: string;
  /** Start of its decompressed content. */
  readonly start: string;
  /** Reads its decompressed content. `onBytes` is called with the number of bytes of each chunk read from the file. */
  readonly read: (onBytes: (bytes: number) => void) => AsyncIterable<Uint8Array>;
};

const startBytes = 4096;

/** Bytes of one read. Reads of 64 KiB, which are Node's default, take 3 to 6 % of the CPU of an ingest. */
const readBytes = 1024 * 1024;

const streamOf = (file: string) => createReadStream(file, { highWaterMark: readBytes });

/** Calls `work` with a file. `-` stands for standard input, which is copied to a temporary file in `folder` until `work` is done. */
export async function withInput<T>(
  file: string,
  folder: string,
  work: (input: Input) => Promise<T>,
): Promise<T> {
  if (file !== "-") return work(await inputOf(file, file));
  const kept = join(folder, `ingest.${randomUUID()}`);
  try {
    await pipeline(process.stdin, createWriteStream(kept, { mode: 0o600 }));
    return await work(await inputOf(kept, "standard input"));
  } finally {
    await rm(kept, { force: true });
  }
}

const refuseRead = (name: string) => (cause: NodeJS.ErrnoException) => {
  throw new IngestError(`${name} cannot be read: ${fileReason(cause)}`, { cause });
};

async function inputOf(file: string, name: string): Promise<Input> {
  const hash = createHash("sha256");
  await pipeline(streamOf(file), hash).catch(refuseRead(name));
  return { ...(await openInput(file, name, "all")), sha256: hash.digest("hex") };
}

/** Input whose hash is not known. */
export type OpenedInput = Omit<Input, "sha256">;

/** How much of a compressed part is read when it is opened. */
type Opening = "all" | "start";

/**
 * Opens a file.
 *
 * @param reads `all` also verifies compressed parts, because what was damaged is known only at the end, after records would be staged
 * @throws {IngestError} if it cannot be read
 */
export async function openInput(file: string, name: string, reads: Opening = "start"): Promise<OpenedInput> {
  const { size } = await stat(file).catch(refuseRead(name));
  const head = await readHead(file).catch(refuseRead(name));
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const parts = isGzip
    ? [await openPart(name, readGzip(file, name, size), reads)]
    : ((await zipParts(file, name, size, reads)) ?? [plainPart(file, name, head)]);
  if (parts.length === 0) throw new IngestError(`${name} is a zip archive without files`);
  return { name, bytes: size, parts };
}

function plainPart(file: string, name: string, head: Buffer): InputPart {
  const read = async function* (onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const source = streamOf(file);
    source.on("data", (chunk) => onBytes(chunk.length));
    yield* source as AsyncIterable<Uint8Array>;
  };
  return { name, start: head.toString(), read };
}

function readGzip(file: string, name: string, size: number): InputPart["read"] {
  return async function* (onBytes: (bytes: number) => void): AsyncGenerator<Uint8Array> {
    const source = streamOf(file);
    source.on("data", (chunk) => onBytes(chunk.length));
    const unpacked = source.pipe(createGunzip());
    source.on("error", (error) => unpacked.destroy(error));
    let count = 0;
    try {
      for await (const chunk of unpacked as AsyncIterable<Buffer>) {
        count += chunk.length;
        requireBound(name, count, size);
        yield chunk;
      }
    } catch (cause) {
      if (cause instanceof IngestError) throw cause;
      throw new IngestError(`${name} is not whole: its compression is damaged`, { cause });
    } finally {
      // The reader may need only the beginning.
      source.destroy();
    }
  };
}

/** Returns the files of a zip archive; undefined if it is none. */
async function zipParts(
  file: string,
  name: string,
  size: number,
  reads: Opening,
): Promise<readonly InputPart[] | undefined> {
  const entries = await readZip(file, name);
  if (entries === undefined) return undefined;
  requireBound(
    name,
    entries.reduce((sum, { bytes }) => sum + bytes, 0),
    size,
  );
  const parts: InputPart[] = [];
  for (const entry of entries) parts.push(await openPart(entry.name, entry.read, reads));
  return parts;
}

async function openPart(name: string, read: InputPart["read"], reads: Opening): Promise<InputPart> {
  const start: Uint8Array[] = [];
  let kept = 0;
  for await (const chunk of read(() => {})) {
    if (kept < startBytes) start.push(chunk.subarray(0, startBytes));
    kept += chunk.length;
    if (reads === "start" && kept >= startBytes) break;
  }
  return { name, start: Buffer.concat(start).toString(), read };
}

/** Largest content of a compressed file relative to the file, and the content that is read in any case, in bytes. */
const bound = { ratio: 200, always: 64 * 1024 * 1024 } as const;

/** @throws {IngestError} if so many bytes of content in a file of a size are taken to be a decompression bomb */
function requireBound(name: string, content: number, size: number): void {
  if (content > Math.max(bound.always, bound.ratio * size))
    throw new IngestError(
      `${name} has over ${bound.ratio} times its size when decompressed, as files do that are made to fill a disk: if it is what you expect, decompress it, and ingest the plain file`,
    );
}

async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(startBytes), 0, startBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Position of an entry within a part. */
export type PartLine = { readonly part: string; readonly partLine: number };

/** Lines of an input whose parts are read one after the other: lines are counted through all of them. */
export class PartLines {
  readonly #input: OpenedInput;
  readonly #begun: { readonly part: string; readonly after: number }[] = [];

  constructor(input: OpenedInput) {
    this.#input = input;
  }

  /** Yields the entries of all parts. An error names the part. @throws {IngestError} */
  async *entries(
    entriesOf: (content: AsyncIterable<Uint8Array>) => AsyncIterable<Entry>,
    onBytes: (bytes: number) => void = () => {},
  ): AsyncGenerator<Entry> {
    const { name, parts } = this.#input;
    let after = 0;
    for (const part of parts) {
      this.#begun.push({ part: part.name, after });
      let last = 0;
      try {
        for await (const entry of entriesOf(part.read(onBytes))) {
          last = entry.line;
          yield after === 0 ? entry : { ...entry, line: after + entry.line };
        }
      } catch (cause) {
        if (!(cause instanceof IngestError) || part.name === name) throw cause;
        throw new IngestError(`${name}: ${part.name}: ${cause.message}`, { cause });
      }
      after += last;
    }
  }

  /** Returns the position of a line within its part. Empty if the input has no other part. */
  within(line: number): PartLine | Record<string, never> {
    const found = this.#begun.findLast(({ after }) => after < line);
    if (found === undefined || found.part === this.#input.name) return {};
    return { part: found.part, partLine: line - found.after };
  }
}
