/** A body whose pieces come one after the other: of `fetch`, or a stream of Node.js. */
type Body = AsyncIterable<Uint8Array>;

export type BodyOptions = {
  /** Ends the reading, which then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Longest body that is read, unpacked, in bytes. */
  readonly most: number;
  /** Told whenever a piece has come. */
  readonly heard?: () => void;
};

/** The bytes of a body; undefined where they are too many. */
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
    // An abort ends the reading of a compressed body without an error or an end, so it is waited for beside.
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

/** Read nothing of a body. Nobody waits for its end: that of a compressed one may not come. */
export function leaveBody(body: { readonly cancel: () => Promise<void> } | null): void {
  body?.cancel().catch(() => {});
}
