import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ok, tagged, underPreconditions } from "@cadastre/server/parts";
import type { RequestHandler } from "express";
import { sendAnswer } from "./answer.ts";
import {
  type ContentCoding,
  compressor,
  contentCodingOf,
  contentCodings,
  leastCompressed,
} from "./compression.ts";

/** A successful answer whose bytes are the same for every request. */
export type FixedAnswer = {
  readonly contentType: string;
  /** Called once, by the first request. */
  readonly body: () => string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Returns a handler that sends a fixed answer with an ETag. It is compressed once for each content coding, when that is first asked for.
 *
 * @param compressed true to compress the body if the client accepts a coding
 */
export function fixedAnswer(answer: FixedAnswer, compressed: boolean): RequestHandler {
  let handler: RequestHandler | undefined;
  return (req, res, next) => {
    handler ??= handlerOf(answer, compressed);
    return handler(req, res, next);
  };
}

function handlerOf({ contentType, body, headers }: FixedAnswer, compressed: boolean): RequestHandler {
  const bytes = Buffer.from(body());
  const plain = tagged({ ...ok(contentType, [bytes]), headers });
  const etag = `W/${plain.headers?.["etag"] ?? ""}`;
  const isCompressed = compressed && bytes.byteLength >= leastCompressed;
  const known = new Map<ContentCoding, Promise<Buffer>>();
  const compress = (coding: ContentCoding): Promise<Buffer> => {
    const made = known.get(coding) ?? buffer(Readable.from([bytes]).pipe(compressor(coding, bytes.length)));
    known.set(coding, made);
    return made;
  };
  return async (req, res) => {
    if (isCompressed) res.vary("accept-encoding");
    const answer = underPreconditions(plain, { header: (name) => req.get(name) });
    const coding = isCompressed ? contentCodingOf(req.get("accept-encoding"), contentCodings) : undefined;
    if (answer.status === 304 || coding === undefined) return sendAnswer(res, answer);
    const coded = { ...answer.headers, etag, "content-encoding": coding };
    sendAnswer(res, { ...answer, headers: coded, body: [await compress(coding)] });
  };
}
