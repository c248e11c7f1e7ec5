import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { crc32, createInflateRaw } from "node:zlib";
import { IngestError } from "./ingest-error.ts";

/** A file within a zip archive. */
export type ZipEntry = {
  readonly name: string;
  /** Number of bytes of its content. */
  readonly bytes: number;
  /**
   * Reads its content, and checks its length and CRC-32. `onBytes` is called with the number of bytes of each chunk read from the archive.
   */
  readonly read: (onBytes: (bytes: number) => void) => AsyncGenerator<Uint8Array>;
};

// Source of the layout: PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", 4.3.
const localHeader = { signature: 0x04034b50, bytes: 30 } as const;
const directoryHeader = { signature: 0x02014b50, bytes: 46 } as const;
const directoryEnd = { signature: 0x06054b50, bytes: 22 } as const;
const end64 = { signature: 0x06064b50, bytes: 56 } as const;
const locator64 = { signature: 0x07064b50, bytes: 20 } as const;

/** Longest comment behind the directory's end. */
const longestComment = 0xffff;
/** Value of a field whose value is in the ZIP64 record. */
const [in64, in64Short] = [0xffff_ffff, 0xffff];
const zip64Field = 1;
const [stored, deflated] = [0, 8];
const encryptedFlags = 0x2041;
const utf8Flag = 0x800;

/** Largest directory that is read, in bytes: it is in memory. */
const largestDirectory = 16 * 1024 * 1024;

/** Entries that are no data: folders, and what macOS adds. */
const ignored = /\/$|(?:^|\/)__MACOSX\//;

type Directory = { readonly at: number; readonly bytes: number; readonly entries: number };

/**
 * Returns the files of an archive in its order, without reading them. Undefined if the file is no zip archive.
 *
 * @throws {IngestError}
 */
export async function readZip(file: string, name: string): Promise<readonly ZipEntry[] | undefined> {
  const damaged = (what: string) =>
    new IngestError(`${name} is a damaged zip archive: ${what}. Fetch it again`);
  const handle = await open(file);
  try {
    const directory = await findDirectory(handle, damaged);
    if (directory === undefined) {
      if (!(await beginsAsZip(handle))) return undefined;
      throw damaged("its directory, which is at its end, is missing");
    }
    if (directory.bytes > largestDirectory)
      throw new IngestError(`${name} is a zip archive of too many files: ingest smaller ones`);
    const bytes = await readAt(handle, directory.at, directory.bytes, damaged);
    const headers: DirectoryEntry[] = [];
    let at = 0;
    for (let i = 0; i < directory.entries; i++) {
      const header = directoryEntry(bytes.subarray(at), damaged);
      headers.push(header);
      at += header.length;
    }
    if (at !== bytes.length) throw damaged("its directory has another length than it says");
    const entries: (ZipEntry & { readonly from: number; readonly to: number })[] = [];
    for (const header of headers.filter((one) => !ignored.test(one.name)))
      entries.push(await zipEntry({ file, archive: name, handle, damaged, end: directory.at }, header));
    // Files that share bytes are a known form of decompression bomb.
    const sorted = entries.toSorted((a, b) => a.from - b.from);
    if (sorted.some(({ from }, i) => from < (sorted[i - 1]?.to ?? 0))) throw damaged("its files overlap");
    return entries;
  } finally {
    await handle.close();
  }
}

async function beginsAsZip(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
  return bytesRead === 4 && buffer.readUInt32LE(0) === localHeader.signature;
}

type Damaged = (what: string) => IngestError;

async function readAt(handle: FileHandle, at: number, length: number, damaged: Damaged): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = at < 0 ? { bytesRead: -1 } : await handle.read(buffer, 0, length, at);
  if (bytesRead !== length) throw damaged("it ends too early");
  return buffer;
}

/** Returns a number of 64 bits. @throws {IngestError} if no file can be that large */
function number64(bytes: Buffer, at: number, damaged: Damaged): number {
  if (at + 8 > bytes.length) throw damaged("a length is missing");
  const value = Number(bytes.readBigUInt64LE(at));
  if (!Number.isSafeInteger(value)) throw damaged("a length is wrong");
  return value;
}

async function findDirectory(handle: FileHandle, damaged: Damaged): Promise<Directory | undefined> {
  const { size } = await handle.stat();
  const length = Math.min(size, directoryEnd.bytes + longestComment);
  const tail = await readAt(handle, size - length, length, damaged);
  let at = tail.length - directoryEnd.bytes;
  const isEnd = () =>
    tail.readUInt32LE(at) === directoryEnd.signature &&
    at + directoryEnd.bytes + tail.readUInt16LE(at + 20) === tail.length;
  while (at >= 0 && !isEnd()) at--;
  if (at < 0) return undefined;
  const end = size - length + at;
  const short = {
    entries: tail.readUInt16LE(at + 10),
    bytes: tail.readUInt32LE(at + 12),
    at: tail.readUInt32LE(at + 16),
  };
  const isNeeded = short.entries === in64Short || short.bytes === in64 || short.at === in64;
  // Programs that write to a pipe make the ZIP64 record in any case.
  const has64 = isNeeded || (await hasLocator64(handle, end));
  const [directory, next] = has64 ? await findDirectory64(handle, end, damaged) : [short, end];
  const disks = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)];
  if (!has64 && (disks.some((disk) => disk !== 0) || tail.readUInt16LE(at + 8) !== short.entries))
    throw damaged("it is one of several parts, or says so");
  if (directory.at + directory.bytes !== next) throw damaged("its directory is not where it says");
  return directory;
}

async function hasLocator64(handle: FileHandle, end: number): Promise<boolean> {
  if (end < locator64.bytes) return false;
  const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, end - locator64.bytes);
  return buffer.readUInt32LE(0) === locator64.signature;
}

async function findDirectory64(
  handle: FileHandle,
  end: number,
  damaged: Damaged,
): Promise<readonly [Directory, number]> {
  const locator = await readAt(handle, end - locator64.bytes, locator64.bytes, damaged);
  if (locator.readUInt32LE(0) !== locator64.signature) throw damaged("its ZIP64 directory is missing");
  const next = number64(locator, 8, damaged);
  const record = await readAt(handle, next, end64.bytes, damaged);
  if (record.readUInt32LE(0) !== end64.signature) throw damaged("its ZIP64 directory is missing");
  const [entries, bytes, at] = [32, 40, 48].map((offset) => number64(record, offset, damaged));
  return [{ entries: entries ?? 0, bytes: bytes ?? 0, at: at ?? 0 }, next];
}

type DirectoryEntry = {
  readonly name: string;
  readonly rawName: Buffer;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly bytes: number;
  readonly at: number;
  /** Length of the header itself. */
  readonly length: number;
};

function directoryEntry(bytes: Buffer, damaged: Damaged): DirectoryEntry {
  if (bytes.length < directoryHeader.bytes || bytes.readUInt32LE(0) !== directoryHeader.signature)
    throw damaged("its directory cannot be read");
  const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => bytes.readUInt16LE(at));
  const nameEnd = directoryHeader.bytes + (nameLength ?? 0);
  const length = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  if (length > bytes.length) throw damaged("its directory cannot be read");
  const rawName = bytes.subarray(directoryHeader.bytes, nameEnd);
  const flags = bytes.readUInt16LE(8);
  const extra = zip64Extra(bytes.subarray(nameEnd, nameEnd + (extraLength ?? 0)));
  let taken = 0;
  // The ZIP64 field has those of the values that do not fit, in this order.
  const [unpacked = 0, packed = 0, at = 0] = [24, 20, 42].map((offset) => {
    const value = bytes.readUInt32LE(offset);
    return value === in64 ? number64(extra, 8 * taken++, damaged) : value;
  });
  return {
    name: rawName.toString((flags & utf8Flag) === 0 ? "latin1" : "utf8").replaceAll(/\p{Cc}/gu, "?"),
    rawName,
    flags,
    method: bytes.readUInt16LE(10),
    crc: bytes.readUInt32LE(16),
    packed,
    bytes: unpacked,
    at,
    length,
  };
}

function zip64Extra(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === zip64Field)
      return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  return Buffer.alloc(0);
}

type Archive = {
  readonly file: string;
  readonly archive: string;
  readonly handle: FileHandle;
  readonly damaged: Damaged;
  /** Position after the files. */
  readonly end: number;
};

async function zipEntry(
  { file, archive, handle, damaged, end }: Archive,
  { name, rawName, flags, method, crc, packed, bytes, at }: DirectoryEntry,
) {
  if ((flags & encryptedFlags) !== 0)
    throw new IngestError(
      `${archive}: ${name} is encrypted: unzip it with its password, and ingest the file`,
    );
  if (method !== stored && method !== deflated)
    throw new IngestError(
      `${archive}: ${name} is compressed by method ${method}: unzip it, and ingest the file. Deflate (8) and stored (0) are read`,
    );
  const head = await readAt(handle, at, localHeader.bytes + rawName.length, damaged);
  const differs =
    head.readUInt32LE(0) !== localHeader.signature ||
    head.readUInt16LE(6) !== flags ||
    head.readUInt16LE(8) !== method ||
    head.readUInt16LE(26) !== rawName.length ||
    !head.subarray(localHeader.bytes).equals(rawName);
  const from = at + head.length + head.readUInt16LE(28);
  const to = from + packed;
  if (differs || to > end || (method === stored && packed !== bytes))
    throw damaged(`${name} is not where its directory says`);
  const wrong = (cause?: unknown) =>
    new IngestError(`${archive}: ${name} is not whole: its compression is damaged`, { cause });
  const read = async function* (onBytes: (count: number) => void): AsyncGenerator<Uint8Array> {
    let [count, sum] = [0, 0];
    const source = packed === 0 ? undefined : createReadStream(file, { start: from, end: to - 1 });
    source?.on("data", (chunk) => onBytes(chunk.length));
    const inflate = createInflateRaw();
    const content = method === stored || source === undefined ? source : source.pipe(inflate);
    source?.on("error", (error) => inflate.destroy(error));
    try {
      for await (const chunk of (content ?? []) as AsyncIterable<Buffer>) {
        count += chunk.length;
        if (count > bytes) throw wrong();
        sum = crc32(chunk, sum);
        yield chunk;
      }
    } catch (cause) {
      throw cause instanceof IngestError || !isZlibError(cause) ? cause : wrong(cause);
    } finally {
      source?.destroy();
    }
    const isRead = method === stored || inflate.bytesWritten === packed;
    if (count !== bytes || sum !== crc || !isRead) throw wrong();
  };
  return { name, bytes, read, from, to };
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
