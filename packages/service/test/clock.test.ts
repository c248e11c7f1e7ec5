import { type ShiftedClock, shiftClock } from "@cadastre/store/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { issueApiKey } from "../src/access/issue-key.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { ask, toCollection, toError } from "./support/ask.ts";
import { customerOf } from "./support/deliveries.ts";
import { type Running, run } from "./support/running.ts";

const day = 86_400_000;

let clock: ShiftedClock;
let running: Running;
let national: ReturnType<typeof customerOf>;
beforeAll(async () => {
  clock = shiftClock();
  running = await run({
    CADASTRE_LISTINGS: "100",
    CADASTRE_TOKEN_LIFE: "3600",
    CADASTRE_REQUESTS_PER_SECOND: "50",
    CADASTRE_LEASE_SECONDS: "3",
  });
  national = customerOf(running);
}, 120_000);
afterAll(async () => {
  await running.stop();
  clock.restore();
});
beforeEach(() => clock.set(0));

const get = (target: string) => ask(running.service.baseUrl, target, national.headers);
const firstPage = "/reso/odata/Property?$top=10";
const nextOf = async () =>
  (toCollection(await get(firstPage))["@odata.nextLink"] ?? "").slice(running.service.baseUrl.length);

/** Returns a token for the first part of a delivery. */
const grantOf = async (id: string) => {
  const { data } = await national.manifest(id);
  return national.grant(id, data.parts[0]?.number ?? 0);
};

test("an hour's token ends with a clock that is set ahead by a day, and new ones are given", async () => {
  const next = await nextOf();
  expect((await get(next)).status).toBe(200);
  clock.set(day);
  const ended = await get(next);
  expect([ended.status, toError(ended).code]).toEqual([400, "invalid_skip_token"]);
  expect((await get(await nextOf())).status).toBe(200);
});

test("a leave to fetch a part ends with a clock that is set ahead, and is there again with the clock", async () => {
  const id = await national.complete();
  const token = await grantOf(id);
  clock.set(day);
  expect((await national.redeem(token)).status).toBe(401);
  expect((await national.redeem(await grantOf(id))).status).toBe(200);
  clock.set(0);
  expect((await national.redeem(token)).status).toBe(200);
});

test("a key ends with a clock that is set ahead, at once", async () => {
  const { peppers } = await readSecrets(running.folder);
  const { apiKey, kept } = issueApiKey(peppers, Date.now() + 3_600_000);
  await withRegistry(running.folder, ({ keys }) =>
    keys.add({ customer: "demo-national", ...kept }, Date.now()),
  );
  const asOf = () => ask(running.service.baseUrl, firstPage, { "x-api-key": apiKey });
  expect((await asOf()).status).toBe(200);
  clock.set(day);
  expect((await asOf()).status).toBe(401);
});

test.each([
  ["ahead", [day]],
  ["back", [-day]],
  ["ahead and back", [day, 0]],
  ["back and ahead", [-day, 0]],
])("with a clock that is set %s by a day, deliveries are built and rates are as ever", async (_, offsets) => {
  for (const offset of offsets) {
    clock.set(offset);
    expect((await get(firstPage)).status).toBe(200);
    const id = await national.complete();
    expect((await national.redeem(await grantOf(id))).status).toBe(200);
  }
});

test("a request that came before the clock was set back is repeated, not made again", async () => {
  const body = { idempotencyKey: "clock" };
  const id = await national.created(body);
  clock.set(-day);
  expect(await national.created(body)).toBe(id);
  expect(await national.finished(id)).toBe("complete");
});
