import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { listings } from "./support/deliveries.ts";
import { load } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { json, startServer, type TestServer } from "./support/server.ts";
import { remoteSubscription } from "./support/subscriptions.ts";

const seed = await seedAfter(undefined, { datasets: { listing: listings(4) } });
const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 9) } });

let server: TestServer;
beforeEach(async () => {
  server = await startServer(seed, delta);
});
afterEach(() => server.close());

const at = {
  createdAt: "2026-11-21T04:03:12.000Z",
  completedAt: "2026-11-21T04:03:12.000Z",
  expiresAt: "2026-12-05T04:03:12.000Z",
};
const served = [seed, delta].map(({ manifest: { deliveryId: id, generation, sequence } }) => ({
  id,
  generation,
  sequence,
  status: "complete",
  noChange: false,
  failure: null,
  acknowledgedAt: null,
  ...at,
}));

/** Serves subscriptions, the first of which has deliveries. */
const serve = (...listed: readonly object[]) => {
  server.trick = ({ url }, response) => {
    const root = "/v1/file-export-subscriptions";
    if (url === `${root}?limit=500`) return json(response, 200, { data: listed, meta: {} });
    if (!url.startsWith(root)) return false;
    return json(response, 200, { data: url.includes(subscription) ? served : [], meta: {} });
  };
};

const copyAt = async () => {
  const target = `sqlite:${join(emptyFolder(), "copy.sqlite")}`;
  await load(server, target, seed);
  return target;
};

const status = async (...copies: readonly string[]) => {
  const args = ["status", "--url", server.url, ...copies.flatMap((copy) => ["--into", copy])];
  const { code, stdout, stderr } = await runHere(args);
  const lines = stdout.trimEnd().split("\n").slice(1);
  const machine = await runHere([...args, "--json"]);
  expect(machine.code).toBe(code);
  return { code, lines, stderr, told: JSON.parse(machine.stdout) as readonly Record<string, unknown>[] };
};

const weekly = { ...remoteSubscription, id: "0198f3a0-3333-7222-8333-444455556666", name: "weekly" };

test("there is a line for each copy, then one for each subscription without a copy", async () => {
  const [first, second] = [await copyAt(), await copyAt()];
  const gone = { ...weekly, id: "0198f3a0-4444-7222-8333-444455556666", name: "old", status: "canceled" };
  serve(remoteSubscription, weekly, gone);
  const { code, lines, told } = await status(first, second);
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(`^nightly .* ${first} +1\\.0 .* 1 delivery, data of`) as string,
    expect.stringMatching(`^nightly .* ${second} +1\\.0 .* 1 delivery, data of`) as string,
    expect.stringMatching(/^weekly +active +– +– +– +– /) as string,
  ]);
  expect(told.map(({ subscriptionId, copy }) => [subscriptionId, copy === null])).toEqual([
    [subscription, false],
    [subscription, false],
    [weekly.id, true],
  ]);
});

test("a missing copy is a line, and told at the end", async () => {
  const [copy, missing] = [await copyAt(), `sqlite:${join(emptyFolder(), "none.sqlite")}`];
  serve(remoteSubscription, weekly);
  const { code, lines, stderr, told } = await status(missing, copy);
  expect(lines).toEqual([
    expect.stringMatching(`^– .* ${missing} +– +missing `) as string,
    expect.stringMatching(`^nightly .* ${copy} +1\\.0 `) as string,
    expect.stringMatching(/^weekly /) as string,
  ]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^copy_missing: .*none\.sqlite/)]);
  expect(told[0]).toMatchObject({ subscriptionId: null, copy: { fault: { error: "copy_missing" } } });
});

test.each(["paused", "suspended", "canceled"])(
  "a %s subscription is told, with no next due",
  async (state) => {
    const copy = await copyAt();
    serve({ ...remoteSubscription, status: state });
    const { code, lines, told } = await status(copy);
    expect([code, lines]).toEqual([0, [expect.stringMatching(`^nightly +${state} .*–$`)]]);
    expect(told).toMatchObject([{ nextDueAt: null, subscription: { status: state } }]);
  },
);

test("a copy that holds nothing of a subscription is a line of its own", async () => {
  const folder = emptyFolder();
  serve(remoteSubscription);
  const { lines } = await status(folder);
  expect(lines).toEqual([
    expect.stringMatching(`^– .* ${folder} +– `) as string,
    expect.stringMatching(/^nightly /) as string,
  ]);
});
