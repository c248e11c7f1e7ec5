import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { ByteRange, PartContent } from "../../src/index.ts";

/** Sends a part, or a range of it, over a real socket, whose other end is given to `take`. Returns when both are done. */
export async function sending(
  { byteLength, sendTo }: Pick<PartContent, "byteLength" | "sendTo">,
  take: (socket: Socket) => Promise<void>,
  range: ByteRange = { start: 0, end: byteLength },
): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const socket = connect(port, "127.0.0.1");
  const [to] = await accepted;
  // A client that goes away may cause a reset.
  to.on("error", () => {});
  try {
    await Promise.all([sendTo(to, range), take(socket)]);
  } finally {
    socket.destroy();
    to.destroy();
    server.close();
  }
}
