import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const cut = new WeakSet<ServerResponse>();

/** True if the response was not sent whole when the time of a stopping server was over. */
export const isCut = (res: ServerResponse): boolean => cut.has(res);

/** The connections of a server, and their responses that are not sent whole. Replaces the server's `closeIdleConnections`. */
export class OpenConnections {
  readonly #responses = new Map<Socket, Set<ServerResponse>>();
  #isClosing = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      this.#responses.set(socket, new Set());
      socket.once("close", () => this.#responses.delete(socket));
    });
    // Called by `close` too. Node's own also closes a connection whose response was ended, but has bytes left to send: that would cut it.
    server.closeIdleConnections = () => this.#closeIdle();
  }

  add(res: ServerResponse): void {
    if (res.socket !== null) this.#openOn(res.socket).add(res);
    if (this.#isClosing) closeAfter(res);
  }

  /** Returns the responses of a connection, without those whose last byte was sent. They are not listened to: each has many listeners. */
  #openOn(socket: Socket): Set<ServerResponse> {
    const responses = this.#responses.get(socket) ?? new Set();
    for (const res of responses) if (res.closed) responses.delete(res);
    return responses;
  }

  /** Has the responses in progress and all later ones close their connections (idle ones stay open), so that clients connect anew, to another node. */
  closeAfterResponses(): void {
    this.#isClosing = true;
    for (const socket of this.#responses.keys()) for (const res of this.#openOn(socket)) closeAfter(res);
  }

  /** True if a response that meets the condition is not sent whole. */
  some(meets: (res: ServerResponse) => boolean): boolean {
    return [...this.#responses.keys()].some((socket) => [...this.#openOn(socket)].some(meets));
  }

  #closeIdle(): void {
    for (const socket of this.#responses.keys()) if (this.#openOn(socket).size === 0) socket.destroy();
  }

  /** Closes all connections. Responses that were not sent whole are then {@link isCut}. */
  cutAll(): void {
    for (const socket of this.#responses.keys()) {
      for (const res of this.#openOn(socket)) cut.add(res);
      socket.destroy();
    }
  }
}

const closeAfter = (res: ServerResponse): void => {
  if (!res.headersSent) res.setHeader("connection", "close");
};
