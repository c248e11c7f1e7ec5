import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const cut = new WeakSet<ServerResponse>();

/** True if the response was not sent whole when the time of a stopping server was over. */
export const isCut = (res: ServerResponse): boolean => cut.has(res);

/** The connections of a server, and their responses that are not sent whole. Replaces the server's `closeIdleConnections`. */
export class OpenConnections {
  /**
   * In the order of the requests. They are arrays, because a set keeps what was removed from it alive: V8 chains the tables of a set that grows,
   * and a table that has become old holds the responses of all later ones until the next full collection.
   */
  readonly #responses = new Map<Socket, ServerResponse[]>();
  #isClosing = false;

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      const responses: ServerResponse[] = [];
      this.#responses.set(socket, responses);
      socket.once("close", () => {
        this.#responses.delete(socket);
        closeWaiting(responses);
      });
    });
    // Called by `close` too. Node's own also closes a connection whose response was ended, but has bytes left to send: that would cut it.
    server.closeIdleConnections = () => this.#closeIdle();
  }

  /** @param socket connection of the request; the response has none while it waits for its turn behind other responses */
  add(socket: Socket, res: ServerResponse): void {
    const responses = this.#responses.get(socket);
    if (responses !== undefined) {
      forgetClosed(responses);
      responses.push(res);
    }
    if (this.#isClosing) closeAfter(res);
  }

  /** Returns the responses of a connection, without those whose last byte was sent. They are not listened to: each has many listeners. */
  #openOn(socket: Socket): readonly ServerResponse[] {
    return this.#responses.get(socket)?.filter((res) => !res.closed) ?? [];
  }

  /** Has the responses in progress and all later ones close their connections (idle ones stay open), so that clients connect anew, to another node. */
  closeAfterResponses(): void {
    this.#isClosing = true;
    for (const socket of this.#responses.keys()) for (const res of this.#openOn(socket)) closeAfter(res);
  }

  /** True if a response that meets the condition is not sent whole. */
  some(meets: (res: ServerResponse) => boolean): boolean {
    return [...this.#responses.keys()].some((socket) => this.#openOn(socket).some(meets));
  }

  #closeIdle(): void {
    for (const socket of this.#responses.keys()) if (this.#openOn(socket).length === 0) socket.destroy();
  }

  /** Closes all connections. Responses that were not sent whole are then {@link isCut}. */
  cutAll(): void {
    for (const socket of this.#responses.keys()) {
      for (const res of this.#openOn(socket)) cut.add(res);
      socket.destroy();
    }
  }
}

/** Responses close in the order of their requests, so that only the first ones can be closed. */
function forgetClosed(responses: ServerResponse[]): void {
  let closed = 0;
  while (responses[closed]?.closed === true) closed++;
  if (closed > 0) responses.splice(0, closed);
}

const closeAfter = (res: ServerResponse): void => {
  if (!res.headersSent) res.setHeader("connection", "close");
};

/**
 * Closes the responses of a closed connection that wait for their turn behind other ones. Node closes only the response that is being sent: the
 * others would never emit `close`, and what is released then would be held forever.
 */
function closeWaiting(responses: readonly ServerResponse[]): void {
  for (const res of responses) {
    // A response that has the socket is closed by Node.
    if (res.closed || res.socket !== null) continue;
    res.destroy();
    res.emit("close");
  }
}
