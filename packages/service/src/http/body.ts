/** Text, or pieces of text and UTF-8 that follow one another. */
export type Body = string | readonly Piece[];

export type Piece = string | Uint8Array;

/** Bytes, or UTF-16 code units of text, that are written at once. */
const sliceLength = 65_536;

const piecesOf = (body: Body): readonly Piece[] => (typeof body === "string" ? [body] : body);

export const byteLengthOf = (body: Body): number =>
  piecesOf(body).reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);

/** Yields the body as slices of UTF-8. Bytes are not copied, and text is only encoded when its turn comes. */
export function* slicesOf(body: Body): Generator<Uint8Array> {
  for (const piece of piecesOf(body)) {
    if (piece.length <= sliceLength) yield toBytes(piece);
    else if (typeof piece === "string") yield* slicesOfText(piece);
    else for (let at = 0; at < piece.length; at += sliceLength) yield piece.subarray(at, at + sliceLength);
  }
}

/**
 * Yields slices that the body does not share its memory with: a compressor may still read one, in a thread, when the body's memory
 * has gone back to the store.
 */
export function* ownSlicesOf(body: Body): Generator<Uint8Array> {
  for (const slice of slicesOf(body)) yield Uint8Array.from(slice);
}

const toBytes = (piece: Piece): Uint8Array => (typeof piece === "string" ? Buffer.from(piece) : piece);

function* slicesOfText(text: string): Generator<Uint8Array> {
  for (let at = 0; at < text.length; ) {
    const end = at + sliceLength;
    // A character of two code units stays whole.
    const isSplit = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = isSplit ? end - 1 : end;
    yield Buffer.from(text.slice(at, next));
    at = next;
  }
}
