import { exceedsLimits } from "@cadastre/manifest";
import { type MediaType, parseMediaType } from "@cadastre/server/parts";
import type { Request } from "express";
import { Refused } from "../errors.ts";

/** Returns the media type of the request's body; undefined if it is missing or malformed. */
export const contentTypeOf = (req: Request): MediaType | undefined =>
  parseMediaType(req.get("content-type") ?? "");

/**
 * Returns the text of the request's body, of at most `limit` bytes.
 *
 * @throws {Refused} `body_too_large`; `unsupported_media_type` if it is compressed, because its length is then not known;
 * `invalid_encoding` if it is not UTF-8.
 */
export async function readRequestBody(req: Request, limit: number): Promise<string> {
  if (!/^(?:identity)?$/i.test(req.get("content-encoding") ?? ""))
    throw new Refused("unsupported_media_type", {
      target: "Content-Encoding",
      reason: "send it uncompressed",
    });
  if (Number(req.get("content-length") ?? 0) > limit) throw tooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  // Destroying the stream would also close the connection, before the client gets the error.
  for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) throw tooLarge();
    pieces.push(piece);
  }
  return toText(Buffer.concat(pieces));
}

/** The rest of the body is not read, so the connection cannot be reused. */
const tooLarge = () => new Refused("body_too_large", { headers: { connection: "close" } });

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("invalid_encoding");
  }
}

/**
 * True if the JSON `text` has more than `most` values and members. Meant to be called before the text is parsed and checked against a
 * schema, which costs microseconds per value: a megabyte may hold 500,000 values.
 */
export const exceedsValueCount = (text: string, most: number): boolean =>
  exceedsLimits(Buffer.from(text), { values: most });
