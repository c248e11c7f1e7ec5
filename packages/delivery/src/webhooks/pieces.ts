import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Most bytes of an answer that are parsed at once. */
const pieceLength = 1024;

/**
 * Lets an agent's connections hand on what they receive in small pieces. The system gives up to 64 KiB at once, and Node parses all of it,
 * even if the request is destroyed at its beginning: two thousand informational responses would block the event loop for tens of
 * milliseconds.
 */
export function readInPieces<A extends Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => new Pieces(connect(options, callback) as Socket);
  return agent;
}

class Pieces extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket
      .on("data", (data: Buffer) => this.#receive(data))
      .on("end", () => this.push(null))
      .on("error", (error) => this.destroy(error))
      .on("close", () => this.destroy());
  }

  #receive(data: Buffer): void {
    let isFull = false;
    for (let at = 0; at < data.length && !this.destroyed; at += pieceLength)
      isFull = !this.push(data.subarray(at, at + pieceLength));
    if (isFull) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
