/** A body as a sequence of chunks: from `fetch`, or a Node.js stream. */
type Body = AsyncIterable<Uint8Array>;

export type BodyOptions = {
  /** Aborts the reading, which then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Maximum length of the body after decompression, in bytes. */
  readonly most: number;
  /** Called for each chunk. */
  readonly heard?: () => void;
};

/** Returns the bytes of a body; undefined if they exceed `most`. */
export async function readBody(body: Body | null, options: BodyOptions): Promise<Buffer | undefined> {
  const { signal } = options;
  signal.throwIfAborted();
  const pieces = body?.[Symbol.asyncIterator]();
  const ended = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { signal: ended.signal });
  });
  try {
    // An abort ends the reading of a compressed body with neither an error nor an end, so the signal is awaited as well.
    return await Promise.race([readPieces(pieces, options), aborted]);
  } finally {
    ended.abort();
    pieces?.return?.().catch(() => {});
  }
}

async function readPieces(
  pieces: AsyncIterator<Uint8Array> | undefined,
  { most, heard = () => {} }: BodyOptions,
): Promise<Buffer | undefined> {
  const read: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const piece = await pieces?.next();
    if (piece === undefined || piece.done) return Buffer.concat(read);
    heard();
    length += piece.value.length;
    if (length > most) return undefined;
    read.push(piece.value);
  }
}

/** Discards a body without waiting for its end, which may never come for a compressed body. */
export function leaveBody(body: { readonly cancel: () => Promise<void> } | null): void {
  body?.cancel().catch(() => {});
}
