import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Attacked,
  figuresOf,
  median,
  type Seen,
  send,
  startUnderAttack,
  strength,
} from "./under-attack.ts";

let service: Attacked;
beforeAll(async () => {
  service = await startUnderAttack({ CADASTRE_IDLE_SECONDS: "3", CADASTRE_REQUESTS_PER_SECOND: "0" });
}, 120_000);
afterAll(() => service.stop());

const collection = "/reso/odata/Property?$top=1000";
const full = `${collection}&$format=application/json;odata.metadata=full`;

/** Megabytes that an attack may add. */
const bound = 512;

/** Milliseconds that `/health/live` takes at most; the slowest of many on a machine that does other things may take longer. */
const healthy = 100;
const slowest = 2000;

function requireUnharmed(seen: Seen): void {
  const { isAlive, rest, peak, health, bystander } = seen;
  if (process.env["ATTACK"] !== undefined) console.log(figuresOf(seen));
  expect(isAlive).toBe(true);
  expect(peak).toBeLessThan(rest + bound);
  expect(median(health)).toBeLessThan(healthy);
  expect(Math.max(...health)).toBeLessThan(slowest);
  expect(bystander.length).toBeGreaterThan(0);
  expect(bystander.filter((status) => status !== 200)).toEqual([]);
}

/** Sends requests of the attacker at the same time. */
const attackWith = (
  count: number,
  target: string,
  headers: Readonly<Record<string, string>>,
  reads: boolean,
) =>
  Array.from({ length: count * strength }, () =>
    send(service.baseUrl, target, { "x-api-key": service.attacker, ...headers }, reads),
  );

test("forty pages with full metadata at the same time are answered or refused", async () => {
  const statuses: number[] = [];
  const seen = await service.during(async () => {
    const sent = attackWith(40, full, {}, true);
    for (const { status } of await Promise.all(sent.map(({ closed }) => closed))) statuses.push(status);
  });
  requireUnharmed(seen);
  expect(statuses).toContain(200);
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
}, 240_000);

test.each([
  ["plain", collection, {}],
  ["compressed", collection, { "accept-encoding": "br" }],
  ["full", full, {}],
])(
  "eighty clients that never read a %s page are cut, and hold a bounded share meanwhile",
  async (_form, target, headers) => {
    const seen = await service.during(async () => {
      const sent = attackWith(80, target, headers, false);
      // Those that were admitted are cut after 3 s, the others are told to come again after 5 s.
      await wait(12_000);
      for (const { socket } of sent) socket.destroy();
    });
    requireUnharmed(seen);
    const after = send(service.baseUrl, target, { "x-api-key": service.attacker }, true);
    expect((await after.closed).status).toBe(200);
  },
  240_000,
);
