import { connect, type Socket } from "node:net";
import type { MixedRequest } from "./mixed-look-ups.ts";

type Server = { readonly baseUrl: string; readonly apiKey: string };

/** Answers of a run. */
export type Fired = {
  /** Number of answers by status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Number of connections that ended before their time. */
  readonly lost: number;
  /** Milliseconds from each request to the end of its answer, ascending. */
  readonly latencies: readonly number[];
  readonly seconds: number;
};

/** Size of the memory that each connection reads into again and again, in bytes. */
const chunkSize = 262_144;

/**
 * Sends requests over connections that stay open, one after another on each, and reads the answers without keeping them: a client that
 * collects answers of megabytes takes more time than the server.
 *
 * @param seconds after which no further request is sent; answers are waited for
 */
export async function fire(
  server: Server,
  requests: readonly MixedRequest[],
  connections: number,
  seconds: number,
): Promise<Fired> {
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  let [turns, lost] = [0, 0];
  const textOf = (turn: number): string => {
    const { pathOf, headers = {} } = requests[turn % requests.length] as MixedRequest;
    const lines = Object.entries({ host: "127.0.0.1", "x-api-key": server.apiKey, ...headers });
    return `GET ${pathOf(turn)} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  };
  const run = async () => {
    const connection = new Connection(Number(new URL(server.baseUrl).port));
    try {
      while (performance.now() < end) {
        const before = performance.now();
        const status = await connection.ask(textOf(turns++));
        latencies.push(performance.now() - before);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    } catch {
      lost++;
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, run));
  return {
    statuses,
    lost,
    latencies: latencies.toSorted((a, b) => a - b),
    seconds: (performance.now() - started) / 1000,
  };
}

type Waiting = { readonly resolve: (status: number) => void; readonly reject: (error: Error) => void };

/** A connection with at most one request at a time, whose answers tell their length. */
class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;
  #head = "";
  #status = 0;
  /** Bytes of the body that are still to come; undefined until the head is complete. */
  #left: number | undefined;

  constructor(port: number) {
    const buffer = Buffer.alloc(chunkSize);
    const callback = (length: number) => {
      this.#read(buffer.subarray(0, length));
      return true;
    };
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback } });
    const fail = () => this.#waiting?.reject(new Error("the connection has ended"));
    this.#socket.on("error", fail).on("close", fail);
  }

  /** Sends a request, and returns the status when the answer has ended. */
  ask(text: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(text, "latin1");
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#left === undefined) {
      const before = this.#head.length;
      this.#head += chunk.toString("latin1", 0, Math.min(chunk.length, 8192));
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.#status = Number(this.#head.slice(9, 12));
      const [, length = "0"] = /^content-length: (\d+)$/im.exec(this.#head.slice(0, end)) ?? [];
      const body = this.#status === 304 ? 0 : Number(length);
      this.#left = body - (chunk.length - (end + 4 - before));
    } else this.#left -= chunk.length;
    if (this.#left > 0) return;
    this.#head = "";
    this.#left = undefined;
    this.#waiting?.resolve(this.#status);
  }
}
