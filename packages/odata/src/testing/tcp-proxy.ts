import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy on loopback: a stable address for servers that take turns. */
export type TcpProxy = {
  /** Returns a URL with the address of the proxy in place of its own. */
  readonly through: (url: string) => string;
  /** Closes all connections, and leads new ones to the server of a URL; without one they are closed at once. */
  readonly lead: (url?: string) => void;
  /** Forwards nothing any more, in either direction, and closes nothing, as a cut network does, until it leads somewhere again. */
  readonly hold: () => void;
  readonly stop: () => Promise<void>;
};

/** Starts a proxy that leads to the server of a URL. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  let target: URL | undefined = new URL(url);
  let isHeld = false;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    if (isHeld) socket.pause();
  };
  const server = createServer((client) => {
    keep(client);
    if (target === undefined) return void client.destroy();
    if (isHeld) return;
    const upstream = connect(Number(target.port), target.hostname);
    keep(upstream);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("data", (chunk) => to.write(chunk));
      from.on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    through: (other) => {
      const address = new URL(other);
      [address.hostname, address.port] = ["127.0.0.1", String(port)];
      return address.href;
    },
    lead: (to) => {
      isHeld = false;
      target = to === undefined ? undefined : new URL(to);
      cut();
    },
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    stop: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
