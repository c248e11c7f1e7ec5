import { functionTable } from "@cadastre/odata/functions";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import { headers, parameters, pick, requireHarmless, target, timeout } from "./support/hostile.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_TRUST_PROXY: "1" });
});
afterAll(() => running.stop());

test("no address gets a 500, database text or a long error", { timeout }, async () => {
  const { baseUrl } = running.service;
  await fc.assert(
    fc.asyncProperty(target, pick("national", "state", "coarse"), headers, async (address, name, more) => {
      const reply = await ask(baseUrl, address, { ...more, "x-api-key": running.key(name) });
      requireHarmless(reply, address);
      expect(reply.headers["odata-version"]).toBe("4.0");
    }),
    parameters,
  );
});

test("no function of the language gets a 500", async () => {
  const { baseUrl } = running.service;
  const examples = [...functionTable.values()]
    .flat()
    .flatMap((entry) => entry.examples.map(([text]) => text));
  const failed = [];
  for (const example of examples) {
    const filter = encodeURIComponent(`(${example}) ne null or ListPrice gt 0`);
    const reply = await ask(baseUrl, `/reso/odata/Property?$top=1&$filter=${filter}`, {
      "x-api-key": running.key("national"),
    });
    if (reply.status >= 500 && reply.status !== 501) failed.push(`${example} gave ${reply.status}`);
  }
  expect(examples.length).toBeGreaterThan(20);
  expect(failed).toEqual([]);
});
