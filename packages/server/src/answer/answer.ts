import { contentTag } from "@cadastre/odata/run";
import { ProtocolError } from "../errors.ts";
import type { HeaderReader } from "../protocol/version.ts";

/** Text, or a sequence of pieces of text and UTF-8 bytes. */
export type Body = string | readonly Piece[];

export type Piece = string | Uint8Array;

/** Length of a slice that is written at once, in bytes or, for text, in UTF-16 code units. */
const sliceLength = 262_144;

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
  /** Called once when the body was sent or the connection has closed. */
  readonly release?: (() => void) | undefined;
};

/** Returns a 200 response with a body. */
export const ok = (contentType: string, body: Body): Answer => ({ status: 200, contentType, body });

/** The 204 response for a null value. */
export const noContent: Answer = { status: 204, body: "" };

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
 * @throws {ProtocolError} `precondition_failed`
 */
export function underPreconditions(answer: Answer, { header }: { readonly header: HeaderReader }): Answer {
  const tag = answer.headers?.["etag"];
  if (tag === undefined) return answer;
  const wanted = header("if-match");
  if (wanted !== undefined && !lists(wanted, tag))
    throw new ProtocolError("precondition_failed", { target: "If-Match" });
  const known = header("if-none-match")?.replaceAll("W/", "");
  if (known === undefined || !lists(known, tag)) return answer;
  const { contentType: _, ...rest } = answer;
  // A body has a strong tag, and a weak one if it is compressed. The answer repeats the one that the client has sent.
  const etag = header("if-none-match")?.includes(`W/${tag}`) === true ? `W/${tag}` : tag;
  return { ...rest, status: 304, body: "", headers: { ...answer.headers, etag } };
}
