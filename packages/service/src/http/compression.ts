import type { Transform } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

/** Shortest body, in bytes, that is compressed: a shorter one fits into a packet or two anyhow. */
export const leastCompressed = 2048;

/** Highest level whose cost for a page of records is not above that of finding it: some 7 ms of CPU a megabyte. */
const encodings = {
  br: (size: number) =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: size },
    }),
  gzip: () => createGzip({ level: 4 }),
} as const satisfies Record<string, (size: number) => Transform>;

/** A coding of contents that is offered. */
export type Encoding = keyof typeof encodings;

const offered: readonly Encoding[] = ["br", "gzip"];

const rangePattern = /^(?<name>[\w*-]+)\s*(?:;\s*q=(?<quality>[01](?:\.\d{0,3})?))?$/i;

/** The coding that a client likes best; undefined where it wants none. Source: RFC 9110, section 12.5.3. */
export function encodingOf(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const range of header.split(",")) {
    const { name, quality = "1" } = rangePattern.exec(range.trim())?.groups ?? {};
    if (name !== undefined) qualities.set(name.toLowerCase(), Number(quality));
  }
  const qualityOf = (name: Encoding) => qualities.get(name) ?? qualities.get("*") ?? 0;
  const [best] = offered.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}

/** @param size length of what is to be compressed, in bytes; 0 if it is not known */
export const compressor = (encoding: Encoding, size: number): Transform => encodings[encoding](size);
