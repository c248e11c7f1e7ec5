import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { HeadBudget } from "../src/http/head-budget.ts";

/** Starts a server with a budget of 100 kB, which answers when `answer` is called. */
async function start() {
  const budget = new HeadBudget(100_000);
  const pending: (() => void)[] = [];
  const server = createServer({ maxHeaderSize: 131_072 }, (req, res) => {
    if (budget.admit(req, res)) pending.push(() => res.end("ok"));
  });
  budget.watch(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = () => connect({ host: "127.0.0.1", port }).on("error", () => {});
  const answer = () => {
    for (const end of pending.splice(0)) end();
  };
  return { open, answer, pending };
}

const head = (length: number) => `GET / HTTP/1.1\r\nhost: a\r\nx-long: ${"b".repeat(length)}`;
const lives = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;

test("connections with the longest unfinished heads are closed, and those with short ones stay", async () => {
  const { open } = await start();
  const [long, short] = [[1, 2, 3, 4].map(open), [1, 2, 3].map(open)];
  for (const socket of long) socket.write(head(40_000));
  for (const socket of short) socket.write(head(1000));
  await expect.poll(() => lives(long)).toBe(2);
  await wait(200);
  expect([lives(long), lives(short)]).toEqual([2, 3]);
});

test("long heads of requests count until they are answered, on a connection that is used again too", async () => {
  const { open, answer, pending } = await start();
  const kept = open();
  for (let round = 0; round < 4; round += 1) {
    kept.write(`${head(60_000)}\r\n\r\n`);
    await expect.poll(() => pending.length).toBe(1);
    if (round === 0) {
      const refused = open();
      refused.write(`${head(60_000)}\r\n\r\n`);
      await once(refused, "close");
      const short = open();
      short.write(`${head(1000)}\r\n\r\n`);
      await expect.poll(() => pending.length).toBe(2);
    }
    const answered = once(kept, "data");
    answer();
    await answered;
  }
  expect(kept.destroyed).toBe(false);
});

test("a body that is read after its answer does not count as a head, and what follows it does", async () => {
  const { open, answer, pending } = await start();
  const sender = open();
  const ask = async (first: string) => {
    sender.write(first);
    await expect.poll(() => pending.length).toBe(1);
    const answered = once(sender, "data");
    answer();
    await answered;
  };
  await ask("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 300000\r\n\r\n");
  sender.write("b".repeat(299_999));
  await wait(300);
  expect(sender.destroyed).toBe(false);
  await ask(`b${head(1000)}\r\n\r\n`);
  sender.write(head(110_000));
  await once(sender, "close");
});
