import type { Transform } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

/** Shortest body, in bytes, that is compressed: a shorter one fits into one or two packets anyway. */
export const leastCompressed = 2048;

/** Largest size hint for brotli. From 1 MiB on, brotli would allocate a hash table of 4 MiB. */
const largestHint = 1_048_575;

/**
 * The highest level at which compressing a page of records costs no more than querying it: about 7 ms of CPU per megabyte. Brotli's window
 * is 256 kB instead of its default of 4 MB: a dozen records already contain nearly all repetitions.
 */
const encodings = {
  br: (size: number) =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: 18,
        [constants.BROTLI_PARAM_SIZE_HINT]: Math.min(size, largestHint),
      },
    }),
  gzip: () => createGzip({ level: 4 }),
} as const satisfies Record<string, (size: number) => Transform>;

/** A content coding that the service offers. */
export type ContentCoding = keyof typeof encodings;

/** All of them; of equals a client gets the first one. */
export const contentCodings: readonly ContentCoding[] = ["br", "gzip"];

const rangePattern = /^(?<name>[\w*-]+)\s*(?:;\s*q=(?<quality>[01](?:\.\d{0,3})?))?$/i;

/**
 * Returns the offered coding that the client prefers; undefined if it accepts none of them. Source: RFC 9110, section 12.5.3.
 *
 * @param header the header `Accept-Encoding`
 */
export function contentCodingOf(
  header: string | undefined,
  offered: readonly ContentCoding[],
): ContentCoding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const range of header.split(",")) {
    const { name, quality = "1" } = rangePattern.exec(range.trim())?.groups ?? {};
    if (name !== undefined) qualities.set(name.toLowerCase(), Number(quality));
  }
  const qualityOf = (name: ContentCoding) => qualities.get(name) ?? qualities.get("*") ?? 0;
  const [best] = offered.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}

/** Most compressors that may run at the same time. Each of them holds about a megabyte. */
const mostCompressors = 64;
let atWork = 0;

/** Returns the coding to use for an `Accept-Encoding` header; undefined while too many answers are being compressed. */
export const chooseEncoding = (header: string | undefined): ContentCoding | undefined =>
  atWork < mostCompressors ? contentCodingOf(header, contentCodings) : undefined;

/** @param size length of the uncompressed body, in bytes; 0 if it is not known */
export function compressor(encoding: ContentCoding, size: number): Transform {
  atWork += 1;
  return encodings[encoding](size).once("close", () => {
    atWork -= 1;
  });
}
