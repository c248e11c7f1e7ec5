import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { queueRequests } from "../src/http/connection.ts";

const request = (url: string, closed = false) =>
  [
    { url } as IncomingMessage,
    { closed } as ServerResponse<IncomingMessage> & { req: IncomingMessage },
  ] as const;

test("requests that arrive in one turn are begun in their order over several turns, those for health first", async () => {
  const begun: string[] = [];
  let turn = 0;
  const turns = new Set<number>();
  const listener = queueRequests(({ url = "" }) => {
    const end = performance.now() + 4;
    while (performance.now() < end);
    begun.push(url);
    turns.add(turn);
  });
  const counting = setInterval(() => {
    turn += 1;
  }, 1);
  for (let i = 0; i < 12; i += 1) listener(...request(`/${i}`));
  listener(...request("/gone", true));
  listener(...request("/health/live"));
  expect(begun).toEqual([]);
  await expect.poll(() => begun.length).toBe(13);
  await wait(10);
  clearInterval(counting);
  expect(begun.filter((url) => url !== "/health/live")).toEqual(
    Array.from({ length: 12 }, (_, i) => `/${i}`),
  );
  expect(begun.indexOf("/health/live")).toBeLessThan(2);
  // 12 requests of 4 ms, of which no more than three fit into the 10 ms of a turn.
  expect(turns.size).toBeGreaterThanOrEqual(4);
});
