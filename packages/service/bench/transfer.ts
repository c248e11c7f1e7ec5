import { connect, type Socket } from "node:net";

/** A keep-alive connection that fetches files and discards them. All data is read into one reused buffer. */
export type Transfers = {
  /**
   * Fetches the file once. Returns the number of bytes of its body.
   *
   * @param seen called with each chunk
   */
  readonly fetch: (seen?: (bytes: Uint8Array) => void) => Promise<number>;
  readonly close: () => void;
};

/** Size of the read buffer, in bytes. */
const readSize = 1 << 20;

const endOfHead = "\r\n\r\n";

/** @param headers header lines of the request in addition to `host` */
export function openTransfers(port: number, path: string, headers: readonly string[]): Transfers {
  const request = [`GET ${path} HTTP/1.1`, "host: 127.0.0.1", ...headers, "", ""].join("\r\n");
  let take: (bytes: Buffer) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const socket: Socket = connect({
    port,
    host: "127.0.0.1",
    onread: {
      buffer: Buffer.allocUnsafe(readSize),
      callback: (length, buffer) => {
        take(Buffer.from(buffer.buffer, buffer.byteOffset, length));
        return true;
      },
    },
  });
  socket.setNoDelay(true);
  socket.on("error", (error) => fail(error));
  socket.on("close", () => fail(new Error("the connection was closed")));
  return {
    fetch: (seen = () => {}) =>
      new Promise((resolve, reject) => {
        fail = reject;
        let head = "";
        let [length, rest] = [0, Number.NaN];
        const body = (bytes: Buffer) => {
          seen(bytes);
          rest -= bytes.length;
          if (rest === 0) resolve(length);
          else if (rest < 0) reject(new Error("the body is longer than it says"));
        };
        take = (bytes) => {
          if (!Number.isNaN(rest)) return body(bytes);
          const before = head.length;
          head += bytes.toString("latin1");
          const end = head.indexOf(endOfHead);
          if (end < 0) return;
          const [, status] = /^HTTP\/1\.1 (\d+)/.exec(head) ?? [];
          const [, stated] = /^content-length: (\d+)/im.exec(head.slice(0, end)) ?? [];
          if (status !== "200" || stated === undefined) return reject(new Error(head.slice(0, end)));
          length = rest = Number(stated);
          body(bytes.subarray(end + endOfHead.length - before));
        };
        socket.write(request);
      }),
    close: () => {
      fail = () => {};
      socket.destroy();
    },
  };
}
