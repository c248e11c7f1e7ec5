import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type ContentCoding, contentCodingOf } from "../http/compression.ts";

/** Folder of the built page in the package `@cadastre/explorer`, both in the repository and installed from a registry. */
export const explorerFolder = join(
  dirname(createRequire(import.meta.url).resolve("@cadastre/explorer/package.json")),
  "dist",
);

/** Endings of the names of compressed copies. */
const copySuffixes: Readonly<Record<ContentCoding, string>> = { br: ".br", gzip: ".gz" };
const suffixes = Object.entries(copySuffixes) as readonly [ContentCoding, string][];
const isCopy = (name: string) => suffixes.some(([, suffix]) => name.endsWith(suffix));

/** Returns the page as it is built now. Undefined if it is not built. */
export const readIndex = (folder: string): Promise<Buffer | undefined> =>
  unlessMissing(readFile(join(folder, "index.html")));

/** A file that the page loads. */
export type Asset = {
  readonly bytes: Buffer;
  readonly coding: ContentCoding | undefined;
  /** True if there is a compressed copy, so that the answer depends on the codings that the client accepts. */
  readonly varies: boolean;
};

/**
 * Reads a file of the folder `assets`, or its compressed copy. Undefined if there is none, also after a rebuild that removed it. The folder is
 * listed each time, so no name leads out of it.
 *
 * @param accepted header `accept-encoding`; undefined to ignore the copies
 */
export async function readAsset(
  folder: string,
  name: string,
  accepted: string | undefined,
): Promise<Asset | undefined> {
  const assets = join(folder, "assets");
  const names = await unlessMissing(readdir(assets));
  if (isCopy(name) || !names?.includes(name)) return undefined;
  const copies = suffixes.filter(([, suffix]) => names.includes(name + suffix)).map(([coding]) => coding);
  const coding = contentCodingOf(accepted, copies);
  const suffix = coding === undefined ? "" : copySuffixes[coding];
  const bytes = await unlessMissing(readFile(join(assets, name + suffix)));
  return bytes && { bytes, coding, varies: copies.length > 0 };
}

/** Returns undefined for a file or folder that is not there. */
async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
