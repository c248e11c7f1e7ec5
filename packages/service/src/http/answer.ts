import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";
import { type Body, byteLengthOf, ownSlicesOf, type Piece, slicesOf } from "./body.ts";
import { chooseEncoding, compressor, type Encoding, leastCompressed } from "./compression.ts";

/** What a route answers with: a body in full, and how it is to be read. */
export type Answer = {
  readonly status: number;
  /** Absent where there is no body: 204 and 304. */
  readonly contentType?: string;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the body has gone out, or nobody waits for it any more. */
  readonly release?: (() => void) | undefined;
};

/** An answer that gives what was asked for. */
export const found = (contentType: string, body: Body): Answer => ({ status: 200, contentType, body });

/** An answer that says that there is no value. */
export const nothing: Answer = { status: 204, body: "" };

/** @param compressed whether the body is compressed for clients that like it so */
export function sendAnswer(
  res: Response,
  { status, contentType, body, headers = {}, release = () => {} }: Answer,
  compressed = false,
): void {
  // A response that is closed already emits no event for it.
  if (res.closed || res.destroyed) {
    release();
    return;
  }
  res.once("close", release);
  res.status(status);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (contentType === undefined) {
    res.end();
    return;
  }
  // Express would add a charset to the media type; JSON and XML say theirs themselves.
  res.setHeader("content-type", contentType);
  const length = byteLengthOf(body);
  const encoding = compressed && length >= leastCompressed ? chosenEncoding(res) : undefined;
  if (encoding === undefined) sendBytes(res, body, length);
  else sendCompressed(res, body, length, encoding);
}

const chosenEncoding = ({ req }: Response): Encoding | undefined =>
  chooseEncoding(req.get("accept-encoding"));

/** Up to so many bytes, a body leaves in one write with its headers. */
const smallBody = 16_384;

function sendBytes(res: Response, body: Body, length: number): void {
  res.setHeader("content-length", length);
  // Node leaves the body out of the answer to HEAD.
  if (length <= smallBody) {
    // Text goes out together with the headers, bytes would follow them; in this encoding a character is a byte.
    res.end(Buffer.concat([...slicesOf(body)]).toString("latin1"), "latin1");
    return;
  }
  if (res.req.method === "HEAD") res.end();
  else void writeSlices(res, body);
}

/** Writes a body slice by slice, as fast as the client takes it: the connection buffers one slice at most. */
async function writeSlices(res: Response, body: Body): Promise<void> {
  for (const slice of slicesOf(body)) {
    if (!res.write(slice)) await drained(res);
    if (res.destroyed) return;
  }
  res.end();
}

/** Settles when the response takes more, or is closed. */
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

/** The length is not said: to HEAD it would cost the whole compression. */
function sendCompressed(res: Response, body: Body, length: number, encoding: Encoding): void {
  announce(res, encoding);
  if (res.req.method === "HEAD") {
    res.end();
    return;
  }
  const source = Readable.from(ownSlicesOf(body), { objectMode: false });
  pipeline(source, compressor(encoding, length), res).catch(() => res.destroy());
}

/** Other bytes have another tag, and the same meaning: a weak one. Source: RFC 9110, section 8.8.3.3. */
function announce(res: Response, encoding: Encoding): void {
  res.setHeader("content-encoding", encoding);
  const tag = res.getHeader("etag");
  if (typeof tag === "string") res.setHeader("etag", `W/${tag}`);
}

/** Sends a body that comes into being as it goes out; as fast as the client takes it. */
export async function sendStream(
  res: Response,
  contentType: string,
  pieces: AsyncIterable<Piece>,
  compressed: boolean,
): Promise<void> {
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
    // Nobody waits for the rest when the client has gone.
    if (!res.destroyed) throw error;
  }
}
