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
