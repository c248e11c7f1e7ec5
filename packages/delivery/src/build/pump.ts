import type { Duplex, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";

/**
 * Writes pieces to `to`, through the streams `through`. The next piece is requested only after the first stream has processed the one
 * before, so pieces need not be copied, and their buffer may be reused.
 */
export async function pump(
  pieces: AsyncIterable<Uint8Array>,
  through: readonly Duplex[],
  to: Writable,
  signal?: AbortSignal,
): Promise<void> {
  const first = through[0] ?? to;
  const flow =
    through.length === 0 ? finished(to, { signal }) : pipeline([...through, to] as Duplex[], { signal });
  // Awaited below. Without this a failure before that would be an unhandled rejection.
  flow.catch(() => undefined);
  try {
    for await (const piece of pieces) await Promise.race([written(first, piece), flow]);
    first.end();
  } catch (error) {
    first.destroy(error instanceof Error ? error : new Error(String(error)));
  }
  await flow;
}

const written = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(piece, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
