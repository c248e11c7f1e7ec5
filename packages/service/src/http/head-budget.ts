import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A request head of at most this length, in bytes, is never refused. Nearly every request's head is shorter. */
const shortHead = 16_384;

/** Milliseconds between two checks of the memory that connections hold. */
const interval = 100;

/**
 * Bounds the memory of request heads, which Node buffers from their first byte on: otherwise any client could fill it without a key. If the
 * bound is exceeded, the connections that hold most are closed.
 */
export class HeadBudget {
  readonly #most: number;
  /** Connections that wait for a request or read its head, each with its `bytesRead` when that state began. */
  readonly #reading = new Map<Socket, number>();
  /** Bytes of the heads of requests that are being answered, by connection. */
  readonly #answering = new Map<Socket, number>();
  /** Sum of {@link #answering}. */
  #held = 0;

  /** @param most bound in bytes of the heads that are being read, and likewise of those that are being answered */
  constructor(most: number) {
    this.#most = most;
  }

  /** Tracks the connections of a server until it is closed. */
  watch(server: Server): void {
    server.on("connection", (socket) => {
      this.#reading.set(socket, 0);
      socket.once("close", () => {
        this.#release(socket);
        this.#reading.delete(socket);
      });
    });
    const timer = setInterval(() => this.#closeLongest(), interval).unref();
    server.once("close", () => clearInterval(timer));
  }

  /** Counts the head of a request until it was answered. Returns false if the connection had to be closed instead. */
  admit({ socket }: IncomingMessage, res: ServerResponse): boolean {
    const length = this.#lengthOf(socket);
    if (length > shortHead && this.#held + length > this.#most) {
      socket.destroy();
      return false;
    }
    this.#reading.delete(socket);
    this.#answering.set(socket, (this.#answering.get(socket) ?? 0) + length);
    this.#held += length;
    res.once("finish", () => {
      this.#release(socket);
      if (!socket.destroyed) this.#reading.set(socket, socket.bytesRead);
    });
    return true;
  }

  #release(socket: Socket): void {
    this.#held -= this.#answering.get(socket) ?? 0;
    this.#answering.delete(socket);
  }

  #lengthOf(socket: Socket): number {
    return socket.bytesRead - (this.#reading.get(socket) ?? socket.bytesRead);
  }

  #closeLongest(): void {
    const lengths = [...this.#reading.keys()].map((socket) => ({ socket, length: this.#lengthOf(socket) }));
    let total = lengths.reduce((sum, { length }) => sum + length, 0);
    if (total <= this.#most) return;
    for (const { socket, length } of lengths.toSorted((a, b) => b.length - a.length)) {
      if (total <= this.#most || length <= shortHead) return;
      socket.destroy();
      total -= length;
    }
  }
}
