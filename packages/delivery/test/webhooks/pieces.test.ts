import { once } from "node:events";
import { Agent, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readInPieces } from "../../src/webhooks/pieces.ts";

/** Starts a server that answers each request with `answer`, and returns its URL. */
async function serve(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(answer));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Requests `url` and destroys the request at the first informational response. Returns the number of those that were parsed. */
async function parsed(url: string, agent: Agent): Promise<number> {
  let count = 0;
  const sent = request(url, { agent });
  sent.on("information", () => {
    count += 1;
    sent.destroy();
  });
  sent.on("error", () => {}).end();
  await new Promise((resolve) => sent.on("close", resolve));
  return count;
}

test("of a destroyed request, at most one piece is parsed", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
  const url = await serve(hint.repeat(1000));
  const most = Math.ceil(1024 / hint.length);
  expect(await parsed(url, readInPieces(new Agent()))).toBeLessThanOrEqual(most);
  // Node parses all that it has read.
  expect(await parsed(url, new Agent())).toBeGreaterThan(most);
});

test("an answer of many pieces arrives whole", async () => {
  const body = Array.from({ length: 100_000 }, (_, i) => `${i}\n`).join("");
  const url = await serve(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  const sent = request(url, { agent: readInPieces(new Agent()) }).end();
  const [response] = (await once(sent, "response")) as [Readable];
  expect(await text(response)).toBe(body);
});
