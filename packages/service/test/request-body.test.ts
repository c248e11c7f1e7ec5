import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import type { Request } from "express";
import { expect, onTestFinished, test } from "vitest";
import { discardInTurns, readRequestBody } from "../src/http/request-body.ts";

const clients = 8;
const megabytes = 4;
const length = megabytes * 1_048_576;
/** Bytes that Node reads from a connection at once. */
const piece = 65_536;

/** Starts a server, sends it a long body on each of several connections, and returns their two ends. */
async function sendBodies(answer: RequestListener) {
  const sockets: Socket[] = [];
  const server = createServer((req, res) => {
    discardInTurns(req, res);
    answer(req, res);
  });
  server.on("connection", (socket) => void sockets.push(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const request = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n${"b".repeat(length)}`;
  const senders = Array.from({ length: clients }, () => connect({ host: "127.0.0.1", port }));
  const answers = senders.map(async (sender) => {
    sender.write(request);
    return String((await once(sender, "data")) as [Buffer]);
  });
  return { sockets, senders, answers: Promise.all(answers) };
}

/** Returns the most bytes that were read in one turn of the event loop, until all bodies were read. */
async function mostReadInTurn(sockets: readonly Socket[]): Promise<number> {
  const readSoFar = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  let before = readSoFar();
  let most = 0;
  while (before < clients * length) {
    await turn();
    const now = readSoFar();
    most = Math.max(most, now - before);
    before = now;
  }
  return most;
}

/** What Node reads at first of every connection, before it asks whether there is room; and then of one. */
const first = clients * piece;

test("what is left of bodies whose requests were refused is read a piece in each turn, and the connections go on", async () => {
  const refuse: RequestListener = (_req, res) => res.writeHead(429, { "content-length": 0 }).end();
  const { sockets, senders, answers } = await sendBodies(refuse);
  for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1.1 429/);
  expect(await mostReadInTurn(sockets)).toBeLessThan(2 * first);
  for (const sender of senders) {
    sender.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    expect(String((await once(sender, "data")) as [Buffer])).toMatch(/^HTTP\/1.1 429/);
  }
});

test("bodies that are wanted are read a piece in each turn", async () => {
  const read = (req: IncomingMessage) =>
    readRequestBody(Object.assign(req, { get: () => undefined }) as unknown as Request, length);
  const { sockets, answers } = await sendBodies((req, res) => {
    void read(req).then((text) => res.end(String(text.length)));
  });
  expect(await mostReadInTurn(sockets)).toBeLessThan(2 * first);
  for (const answer of await answers) expect(answer).toMatch(new RegExp(`\r\n${length}$`));
});
