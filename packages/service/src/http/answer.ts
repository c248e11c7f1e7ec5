import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TurnQueue } from "@cadastre/delivery";
import { contentTag } from "@cadastre/odata/run";
import type { Response } from "express";
import { Refused } from "../errors.ts";
import { type ContentCoding, chooseEncoding, compressor, leastCompressed } from "./compression.ts";
import type { HeaderReader } from "./odata-protocol.ts";
import { findContext } from "./request-context.ts";

/** Text, or a sequence of pieces of text and UTF-8 bytes. */
export type Body = string | readonly Piece[];

export type Piece = string | Uint8Array;

/** Length of a slice that is written at once, in bytes or, for text, in UTF-16 code units. */
const sliceLength = 65_536;

const piecesOf = (body: Body): readonly Piece[] => (typeof body === "string" ? [body] : body);

export const byteLengthOf = (body: Body): number =>
  piecesOf(body).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

/** Yields the body as slices of UTF-8. Bytes are not copied; text is encoded slice by slice. */
export function* slicesOf(body: Body): Generator<Uint8Array> {
  for (const piece of piecesOf(body)) {
    if (piece.length <= sliceLength) yield toBytes(piece);
    else if (typeof piece === "string") yield* slicesOfText(piece);
    else for (let at = 0; at < piece.length; at += sliceLength) yield piece.subarray(at, at + sliceLength);
  }
}

/**
 * Yields copies of the slices, which share no memory with the body: the thread of a compressor may still read a slice when the store
 * already reuses the buffer of the body.
 */
export function* copiedSlicesOf(body: Body): Generator<Uint8Array> {
  for (const slice of slicesOf(body)) yield Uint8Array.from(slice);
}

const toBytes = (piece: Piece): Uint8Array => (typeof piece === "string" ? Buffer.from(piece) : piece);

function* slicesOfText(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const end = at + sliceLength;
    // Do not split a surrogate pair.
    const isSplit = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = isSplit ? end - 1 : end;
    yield Buffer.from(text.slice(at, next));
    at = next;
  }
}

/** A complete response: status, body and the headers that describe it. */
export type Answer = {
  readonly status: number;
  /** Absent without a body: 204 and 304. */
  readonly contentType?: string;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the body instead of `body`, with backpressure. Rejects if it cannot be sent completely. */
  readonly stream?: (to: Writable) => Promise<void>;
  /** Called once when the body was sent or the connection has closed. */
  readonly release?: (() => void) | undefined;
};

/** Returns a 200 response with a body. */
export const ok = (contentType: string, body: Body): Answer => ({ status: 200, contentType, body });

/** The 204 response for a null value. */
export const noContent: Answer = { status: 204, body: "" };

/** Times the sending of an answer, until the connection has taken the last byte or is closed. */
function timeSending(res: Response): void {
  const context = findContext(res.req);
  if (context === undefined || res.closed) return;
  context.endSending ??= context.stages.begin("send");
}

/** Sends an answer whose body is streamed. */
export async function sendStreamedAnswer(
  res: Response,
  { status, contentType, headers = {}, stream }: Answer,
): Promise<void> {
  timeSending(res);
  res.status(status);
  for (const [name, value] of Object.entries({ "content-type": contentType ?? "", ...headers }))
    res.setHeader(name, value);
  await stream?.(res);
}

/** @param compressed true to compress the body if the client accepts a coding */
export function sendAnswer(
  res: Response,
  { status, contentType, body, headers = {}, release = () => {} }: Answer,
  compressed = false,
): void {
  // A closed response emits no further `close` event.
  if (res.closed || res.destroyed) {
    release();
    return;
  }
  timeSending(res);
  res.once("close", release);
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

/** Longest body, in bytes, that is sent in one write together with the headers. */
const smallBody = 16_384;

function sendBytes(res: Response, body: Body, length: number): void {
  res.setHeader("content-length", length);
  // Node discards the body in a response to HEAD.
  if (length <= smallBody) {
    // Node joins text with the headers in one write, but sends bytes in a second one; in latin1 each character is one byte.
    res.end(Buffer.concat([...slicesOf(body)]).toString("latin1"), "latin1");
    return;
  }
  if (res.req.method === "HEAD") res.end();
  else void writeSlices(res, body);
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

/** Adds an ETag for the bytes and media type of the answer. */
export function tagged(answer: Answer): Answer {
  const { contentType = "", body, headers } = answer;
  const pieces = typeof body === "string" ? [body] : body;
  return { ...answer, headers: { ...headers, etag: contentTag(contentType, ...pieces) } };
}

/** True if the list of a precondition contains the tag. */
const lists = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.split(",").some((item) => item.trim() === tag);

/**
 * Evaluates the preconditions of the request on an answer that has an ETag. Returns 304 if the client already has the answer.
 * Source: RFC 9110, section 13.2.2.
 *
 * @throws {Refused} `precondition_failed`
 */
export function underPreconditions(answer: Answer, { header }: { readonly header: HeaderReader }): Answer {
  const tag = answer.headers?.["etag"];
  if (tag === undefined) return answer;
  const wanted = header("if-match");
  if (wanted !== undefined && !lists(wanted, tag))
    throw new Refused("precondition_failed", { target: "If-Match" });
  const known = header("if-none-match")?.replaceAll("W/", "");
  if (known === undefined || !lists(known, tag)) return answer;
  const { contentType: _, ...rest } = answer;
  // A body has a strong tag, and a weak one if it is compressed. The answer repeats the one that the client has sent.
  const etag = header("if-none-match")?.includes(`W/${tag}`) === true ? `W/${tag}` : tag;
  return { ...rest, status: 304, body: "", headers: { ...answer.headers, etag } };
}
