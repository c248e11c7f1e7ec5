import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

const queues = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Closes a response together with its connection, also while it waits for its turn behind other responses of the connection. Node closes
 * only the response that is being sent: the others would never emit `close`, and what is released then would be held forever.
 */
export function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  const queue = queues.get(socket) ?? watched(socket);
  for (const earlier of queue) if (earlier.closed) queue.delete(earlier);
  queue.add(response);
}

function watched(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  queues.set(socket, queue);
  socket.once("close", () => {
    for (const response of queue) {
      // A response that has the socket is closed by Node.
      if (response.socket !== null) continue;
      response.destroy();
      response.emit("close");
    }
  });
  return queue;
}
