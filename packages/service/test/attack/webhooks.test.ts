import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { answerWith, type Receiver, startReceiver } from "@cadastre/delivery/testing";
import { freePort } from "@cadastre/odata/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Attacked, besideOthers, startUnderAttack } from "./under-attack.ts";
import { requireUnharmed } from "./unharmed.ts";

const answer = "HTTP/1.1 200 OK\r\n";
const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;

/** Writes `text` repeatedly, as fast as the other side reads it, until the connection is closed. */
function writeWithoutEnd(socket: Socket, text: string): void {
  while (!socket.destroyed && socket.write(text));
  socket.once("drain", () => writeWithoutEnd(socket, text));
}

const writeSlowly = (socket: Socket, text: string) => {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ""), 1000);
  socket.once("close", () => clearInterval(timer));
};

/** Hostile behaviors of a receiver, by description. */
const hostile: Readonly<Record<string, (socket: Socket, url: string) => void>> = {
  "never answers": () => {},
  "answers a byte of its head a second": (socket) => writeSlowly(socket, answer),
  "answers headers without end": (socket) =>
    writeWithoutEnd(socket, `${answer}x-a: ${"b".repeat(60_000)}\r\n`),
  "answers a byte of its body a second": (socket) => {
    socket.write(`${answer}content-length: 1000\r\n\r\n`);
    writeSlowly(socket, "x");
  },
  "answers a body without end": (socket) => {
    socket.write(`${answer}transfer-encoding: chunked\r\n\r\n`);
    writeWithoutEnd(socket, chunk);
  },
  "redirects to itself": (socket, url) =>
    void socket.end(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${url}\r\ncontent-length: 0\r\n\r\n`),
  "answers informational responses without end": (socket) =>
    writeWithoutEnd(socket, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"),
  "never answers, either": () => {},
};

let service: Attacked;
let receiver: Receiver;
const servers: Server[] = [];
const urls: string[] = [];
const connections = new Set<Socket>();
beforeAll(async () => {
  service = await startUnderAttack({ CADASTRE_WEBHOOK_LOOPBACK: "true" });
  receiver = await startReceiver();
  receiver.answer = answerWith(204);
  for (const act of Object.values(hostile)) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;
    const server = createServer((socket) => {
      connections.add(socket);
      socket.on("error", () => {}).on("close", () => connections.delete(socket));
      socket.once("data", () => act(socket, url));
    });
    server.listen(port, "127.0.0.1");
    servers.push(server);
    urls.push(url);
  }
}, 120_000);
afterAll(async () => {
  await service.stop();
  for (const server of servers) server.close();
  for (const socket of connections) socket.destroy();
  await receiver.stop();
});

async function post(key: string, path: string, body?: object): Promise<string> {
  const response = await fetch(`${service.baseUrl}/v1/webhooks${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { data } = (await response.json()) as { readonly data?: { readonly id: string } };
  return data?.id ?? "";
}

/** Requests a test message and returns the milliseconds until the next message arrives. */
async function timeOfMessage(key: string, id: string): Promise<number> {
  const before = receiver.received.length;
  const asked = performance.now();
  await post(key, `/${id}/test`);
  while (receiver.received.length === before) await wait(20);
  return performance.now() - asked;
}

test(
  "a customer whose receivers keep every message waiting keeps no other customer's waiting",
  besideOthers,
  async () => {
    const own = await post(service.bystander, "", { url: receiver.url });
    const times: number[] = [];
    const seen = await service.during(async () => {
      const ids = await Promise.all(urls.map((url) => post(service.attacker, "", { url })));
      let isOver = false;
      const asking = ids.map(async (id) => {
        while (!isOver) {
          await post(service.attacker, `/${id}/test`);
          await wait(250);
        }
      });
      // By now messages are being sent to all receivers.
      await wait(2000);
      for (let turn = 0; turn < 5; turn += 1) times.push(await timeOfMessage(service.bystander, own));
      isOver = true;
      await Promise.all(asking);
    });
    if (process.env["ATTACK"] !== undefined)
      console.info(`messages arrive after ${times.map(Math.round).join(", ")} ms`);
    // An attempt times out after ten seconds.
    expect(Math.max(...times)).toBeLessThan(3000);
    requireUnharmed(seen);
  },
);
