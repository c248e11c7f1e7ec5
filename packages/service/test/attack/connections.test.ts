import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import { type Attacked, attack, startUnderAttack } from "./under-attack.ts";
import { requireUnharmed } from "./unharmed.ts";

let service: Attacked;
beforeAll(async () => {
  service = await startUnderAttack();
}, 120_000);
afterAll(() => service.stop());

const batch = "/reso/odata/$batch";
const key = () => `x-api-key: ${service.attacker}\r\ncontent-type: application/json\r\n`;
const bodyOf = (length: number) =>
  `POST ${batch} HTTP/1.1\r\nhost: a\r\n${key()}content-length: ${length}\r\n\r\n`;

/** Opens a connection that sends `start`, then `piece` every second. Returns the status of the answer once the connection is closed. */
async function trickle(start: string, piece: string): Promise<number> {
  const { hostname, port } = new URL(service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  let slowly: NodeJS.Timeout | undefined;
  // Spread the connections of an attack over a second.
  const begin = setTimeout(() => {
    socket.write(start);
    slowly = setInterval(() => socket.write(piece), 1000);
  }, Math.random() * 1000);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("error", () => {});
  // Not by `once`, which would fail with a connection that is reset while it is closed.
  await new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  clearTimeout(begin);
  clearInterval(slowly);
  return Number(text.slice(9, 12));
}

/** Runs `count` instances of an attack at the same time. Their number is that of the promise, so `ATTACK` does not raise it. */
const times = <T>(count: number, attack: () => Promise<T>): readonly Promise<T>[] =>
  Array.from({ length: count }, attack);

attack(
  "connections that say nothing, or a header or a body a byte a second, are answered 408 and closed",
  async () => {
    const seen = await service.during(async () => {
      const statuses = await Promise.all([
        ...times(400, () => trickle("", "")),
        ...times(400, () => trickle("GET / HTTP/1.1\r\nx-a: ", "b")),
        ...times(200, () => trickle(bodyOf(1000), " ")),
      ]);
      expect(new Set(statuses)).toEqual(new Set([408]));
    });
    requireUnharmed(seen);
  },
  90_000,
);

attack(
  "a thousand open connections with a request each, and each again, are answered",
  async () => {
    const { hostname, port } = new URL(service.baseUrl);
    const target = "/reso/odata/Property?$top=1";
    /** Returns the status of a request on a connection that stays open. Sends HEAD, because its answer ends with its headers. */
    const statusOn = async (socket: Socket) => {
      socket.write(`HEAD ${target} HTTP/1.1\r\nhost: a\r\n${key()}\r\n`);
      const [answer] = (await once(socket, "data")) as [Buffer];
      return Number(answer.subarray(9, 12).toString());
    };
    const statuses: number[] = [];
    const seen = await service.during(async () => {
      const sockets = await Promise.all(
        times(1000, async () => {
          const socket = connect({ host: hostname, port: Number(port) });
          await once(socket, "connect");
          return socket;
        }),
      );
      for (let turn = 0; turn < 2; turn += 1)
        // In groups, to spread the requests too.
        for (let at = 0; at < sockets.length; at += 50) {
          statuses.push(...(await Promise.all(sockets.slice(at, at + 50).map(statusOn))));
          await wait(1);
        }
      for (const socket of sockets) socket.destroy();
    });
    expect(statuses).toHaveLength(2000);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([]);
    requireUnharmed(seen);
  },
  90_000,
);
