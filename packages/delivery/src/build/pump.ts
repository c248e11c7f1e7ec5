import type { Duplex, Writable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";

/**
 * Write pieces to the last of some streams, through the others. The first one is done with a piece before the next one is asked
 * for: nothing need be copied, and what a piece lies in may be used again.
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
  // It is awaited further down, whenever it fails.
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
