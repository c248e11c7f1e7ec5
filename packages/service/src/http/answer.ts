import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TurnQueue } from "@cadastre/delivery";
import {
  type Answer,
  type Body,
  byteLengthOf,
  copiedSlicesOf,
  type Piece,
  slicesOf,
} from "@cadastre/server/parts";
import type { Response } from "express";
import { type ContentCoding, chooseEncoding, compressor, leastCompressed } from "./compression.ts";
import { findContext } from "./request-context.ts";

/** An answer whose body is written by `stream` instead of `body`, with backpressure. It rejects if the body cannot be sent completely. */
export type StreamedAnswer = Answer & { readonly stream: (to: Writable) => Promise<void> };

/** Times the sending of an answer, until the connection has taken the last byte or is closed. */
function timeSending(res: Response): void {
  const context = findContext(res.req);
  if (context === undefined || res.closed) return;
  context.endSending ??= context.stages.begin("send");
}

/** Sends an answer whose body is streamed. */
export async function sendStreamedAnswer(
  res: Response,
  { status, contentType, headers = {}, stream }: StreamedAnswer,
): Promise<void> {
  timeSending(res);
  res.status(status);
  for (const [name, value] of Object.entries({ "content-type": contentType ?? "", ...headers }))
    res.setHeader(name, value);
  await stream(res);
}

/** @param compressed true to compress the body if the client accepts a coding */
export function sendAnswer(
  res: Response,
  { status, contentType, body, headers = {}, release }: Answer,
  compressed = false,
): void {
  // A closed response emits no further `close` event.
  if (res.closed || res.destroyed) {
    release?.();
    return;
  }
  timeSending(res);
  if (release !== undefined) res.once("close", release);
  res.status(status);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (contentType === undefined) {
    res.end();
    return;
  }
  // Express's own setter would add a charset to the media type; JSON and XML define theirs.
  res.setHeader("content-type", contentType);
  const length = byteLengthOf(body);
  const encoding = compressed && length >= leastCompressed ? chosenEncoding(res) : undefined;
  if (encoding === undefined) sendBytes(res, body, length);
  else sendCompressed(res, body, length, encoding);
}

const chosenEncoding = ({ req }: Response): ContentCoding | undefined =>
  chooseEncoding(req.get("accept-encoding"));

/**
 * Longest body, in bytes, that is sent in one write together with the headers. A longer one is not copied: V8 with a limited heap would collect all
 * garbage each time that some megabytes of copies were made, and a record of 28 kB would take twice as long.
 */
const smallBody = 16_384;

function sendBytes(res: Response, body: Body, length: number): void {
  res.setHeader("content-length", length);
  // Node discards the body in a response to HEAD.
  if (length <= smallBody) {
    // Node joins text with the headers in one write, but sends bytes in a second one; in latin1 each character is one byte.
    res.end(bytesOf(body, length).toString("latin1"), "latin1");
    return;
  }
  if (res.req.method === "HEAD") res.end();
  else void writeSlices(res, body);
}

/** @param length of the body in bytes */
function bytesOf(body: Body, length: number): Buffer {
  if (typeof body === "string") return Buffer.from(body);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of body) {
    if (typeof piece === "string") at += bytes.write(piece, at);
    else {
      bytes.set(piece, at);
      at += piece.length;
    }
  }
  return bytes;
}

/** Orders the writes of all long bodies. The system may take megabytes of each at once, and many connections may become writable together. */
const writes = new TurnQueue(10);

/** Writes the body slice by slice and waits for `drain`, so that the connection buffers at most one slice. */
async function writeSlices(res: Response, body: Body): Promise<void> {
  for (const slice of slicesOf(body)) {
    await writes.next();
    if (!res.write(slice)) await drained(res);
    if (res.destroyed) return;
  }
  res.end();
}

/** Resolves when the response accepts more data or is closed. */
const drained = (res: Response): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      res.off("drain", settle);
      res.off("close", settle);
      resolve();
    };
    res.on("drain", settle);
    res.on("close", settle);
    if (res.destroyed) settle();
  });

/** Sends a compressed body without `content-length`: for HEAD, finding it would mean compressing the whole body. */
function sendCompressed(res: Response, body: Body, length: number, encoding: ContentCoding): void {
  announce(res, encoding);
  if (res.req.method === "HEAD") {
    res.end();
    return;
  }
  const source = Readable.from(copiedSlicesOf(body), { objectMode: false });
  pipeline(source, compressor(encoding, length), res).catch(() => res.destroy());
}

/** Sets the content coding. A strong ETag becomes weak, because the bytes differ from the plain body. Source: RFC 9110, section 8.8.3.3. */
function announce(res: Response, encoding: ContentCoding): void {
  res.setHeader("content-encoding", encoding);
  const tag = res.getHeader("etag");
  if (typeof tag === "string") res.setHeader("etag", `W/${tag}`);
}

/** Streams a body that is produced while it is sent, with backpressure. */
export async function sendBodyStream(
  res: Response,
  contentType: string,
  pieces: AsyncIterable<Piece>,
  compressed: boolean,
): Promise<void> {
  timeSending(res);
  res.setHeader("content-type", contentType);
  const encoding = compressed ? chosenEncoding(res) : undefined;
  const source = Readable.from(pieces, { objectMode: false });
  try {
    if (encoding === undefined) await pipeline(source, res);
    else {
      announce(res, encoding);
      await pipeline(source, compressor(encoding, 0), res);
    }
  } catch (error) {
    // A pipeline that failed because the client disconnected is not an error.
    if (!res.destroyed) throw error;
  }
}
