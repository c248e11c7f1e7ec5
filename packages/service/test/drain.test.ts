import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, toCollection } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
});
afterAll(() => running.stop());

test("a service that stops under load finishes what it has begun, and takes no more", async () => {
  const { baseUrl } = running.service;
  const page = () => ask(baseUrl, "/reso/odata/Property?$top=50", { "x-api-key": running.key("national") });
  let answered = 0;
  const begun = Array.from({ length: 40 }, async () => {
    const reply = await page();
    answered += 1;
    return toCollection(reply).value.length;
  });
  // The first of them are answered, the last ones wait for a thread.
  while (answered < 5) await new Promise(setImmediate);
  const stopped = running.service.stop();
  await expect(page()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(answered).toBeLessThan(40);
  expect(await Promise.all(begun)).toEqual(Array.from({ length: 40 }, () => 50));
  await stopped;
});
