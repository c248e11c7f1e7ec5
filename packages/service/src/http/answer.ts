import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Response } from "express";

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

/** Text, or pieces of text and UTF-8 that follow one another. */
export type Body = string | readonly (string | Uint8Array)[];

/** An answer that gives what was asked for. */
export const found = (contentType: string, body: Body): Answer => ({ status: 200, contentType, body });

/** An answer that says that there is no value. */
export const nothing: Answer = { status: 204, body: "" };

export function sendAnswer(
  res: Response,
  { status, contentType, body, headers = {}, release }: Answer,
): void {
  if (release !== undefined) res.once("close", release);
  res.status(status);
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (contentType === undefined) res.end();
  else sendBody(res, contentType, body);
}

/** Up to so many bytes, a body leaves in one write with its headers. */
const smallBody = 16_384;

/** Express would add a charset to the media type; JSON and XML say theirs themselves. */
function sendBody(res: Response, contentType: string, body: Body): void {
  const pieces = (typeof body === "string" ? [body] : body).map((piece) =>
    typeof piece === "string" ? Buffer.from(piece) : piece,
  );
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  res.setHeader("content-type", contentType);
  res.setHeader("content-length", length);
  // Node leaves the body out of the answer to HEAD.
  if (length <= smallBody) {
    // Text goes out together with the headers, bytes would follow them.
    res.end(Buffer.concat(pieces).toString());
    return;
  }
  res.cork();
  for (const piece of pieces) res.write(piece);
  res.end();
}

/** Sends a body that comes into being as it goes out; as fast as the client takes it. */
export async function sendStream(
  res: Response,
  contentType: string,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  res.setHeader("content-type", contentType);
  try {
    await pipeline(Readable.from(pieces), res);
  } catch (error) {
    // Nobody waits for the rest when the client has gone.
    if (!res.destroyed) throw error;
  }
}
