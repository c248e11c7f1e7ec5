import type { Request } from "express";
import { Refused } from "../errors.ts";
import { type MediaType, parseMediaType } from "../odata/media-type.ts";

/** The media type of the request's body; undefined where it is none. */
export const contentTypeOf = (req: Request): MediaType | undefined =>
  parseMediaType(req.get("content-type") ?? "");

/**
 * The text of the request's body, of `limit` bytes at most.
 *
 * @throws {Refused} `body_too_large`; `unsupported_media_type` if it is compressed, since its length is then not known;
 * `invalid_encoding` if it is not UTF-8.
 */
export async function readBody(req: Request, limit: number): Promise<string> {
  if (!/^(?:identity)?$/i.test(req.get("content-encoding") ?? ""))
    throw new Refused("unsupported_media_type");
  if (Number(req.get("content-length") ?? 0) > limit) throw tooLarge();
  const pieces: Buffer[] = [];
  let length = 0;
  // A stream that is destroyed takes the connection with it, and nobody would learn why.
  for await (const piece of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > limit) throw tooLarge();
    pieces.push(piece);
  }
  return toText(Buffer.concat(pieces));
}

/** The rest of the body is not read: the connection cannot be used again. */
const tooLarge = () => new Refused("body_too_large", null, { connection: "close" });

function toText(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refused("invalid_encoding");
  }
}
