import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Registered ports that the system does not hand out by itself: one of those that are free may be somebody's before the program
 * that it is for has opened it.
 */
const ports = { first: 12_000, end: 32_000 };

/** A port of loopback that nobody listens on. */
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
