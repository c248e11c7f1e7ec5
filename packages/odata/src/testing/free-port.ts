import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Range of registered ports that the system does not assign by itself. A port assigned by the system could be taken
 * by another program before the intended one opens it.
 */
const ports = { first: 12_000, end: 32_000 };

/** Returns a loopback port that no program listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.first, ports.end);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
