import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A request head of at most this length, in bytes, is never refused. Nearly every request's head is shorter. */
const shortHead = 16_384;

/** Milliseconds between two checks of the memory that connections hold. */
const interval = 100;

/** Memory of the heads of one connection, changed in place: each request changes it twice. */
type Head = {
  /** `bytesRead` of the connection when it began to wait for a request, or to read its head; undefined while one is answered. */
  start: number | undefined;
  /** Bytes of the heads of requests that are being answered. */
  answering: number;
};

/**
 * Bounds the memory of request heads, which Node buffers from their first byte on: otherwise any client could fill it without a key. If the
 * bound is exceeded, the connections that hold most are closed.
 */
export class HeadBudget {
  readonly #most: number;
  readonly #connections = new Map<Socket, Head>();
  /** Sum of the bytes that are being answered. */
  #held = 0;

  /** @param most bound in bytes of the heads that are being read, and likewise of those that are being answered */
  constructor(most: number) {
    this.#most = most;
  }

  /** Tracks the connections of a server until it is closed. */
  watch(server: Server): void {
    server.on("connection", (socket) => {
      const head: Head = { start: 0, answering: 0 };
      this.#connections.set(socket, head);
      socket.once("close", () => {
        this.#release(head);
        this.#connections.delete(socket);
      });
    });
    const timer = setInterval(() => this.#closeLongest(), interval).unref();
    server.once("close", () => clearInterval(timer));
  }

  /** Counts the head of a request until it was answered. Returns false if the connection had to be closed instead. */
  admit(req: IncomingMessage, res: ServerResponse): boolean {
    const { socket } = req;
    const head = this.#connections.get(socket);
    if (head === undefined) return true;
    const length = lengthOf(socket, head);
    if (length > shortHead && this.#held + length > this.#most) {
      socket.destroy();
      return false;
    }
    head.start = undefined;
    head.answering += length;
    this.#held += length;
    res.once("finish", () => {
      this.#release(head);
      const waitForNext = () => {
        head.start = socket.bytesRead;
      };
      // A body that was not wanted is read after the answer.
      if (req.complete) waitForNext();
      else req.once("end", waitForNext);
    });
    return true;
  }

  #release(head: Head): void {
    this.#held -= head.answering;
    head.answering = 0;
  }

  #closeLongest(): void {
    const lengths = [...this.#connections].map(([socket, head]) => ({
      socket,
      length: lengthOf(socket, head),
    }));
    let total = lengths.reduce((sum, { length }) => sum + length, 0);
    if (total <= this.#most) return;
    for (const { socket, length } of lengths.toSorted((a, b) => b.length - a.length)) {
      if (total <= this.#most || length <= shortHead) return;
      socket.destroy();
      total -= length;
    }
  }
}

/** Bytes of the head that a connection has read of its next request. */
const lengthOf = (socket: Socket, { start }: Head): number =>
  start === undefined ? 0 : socket.bytesRead - start;
