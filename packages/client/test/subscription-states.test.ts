import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect, exitCodes, follow, openTarget, serviceFeed } from "@cadastre/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { pricesIn, pricesOf } from "./support/copies.ts";
import { jwks, listings } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";

const seed = await seedAfter(undefined, { datasets: { listing: listings(10) } });
const delta = await deltaAfter(seed, { datasets: { listing: listings(3, 20) } });
const { asOf } = delta.manifest.window;

let server: TestServer;
let state = { status: "active", failure: null as { readonly code: string } | null };
beforeEach(async () => {
  server = await startServer(seed, delta);
  state = { status: "active", failure: null };
  server.trick = ({ url }, response) =>
    url === `/v1/file-export-subscriptions/${subscription}` && json(response, 200, { data: state, meta: {} });
});
afterEach(() => server.close());

function begin() {
  const [file, staging] = [join(emptyFolder(), "copy.sqlite"), emptyFolder()];
  const args = ["follow", "--subscription", subscription, "--url", server.url];
  return { file, staging, args: [...args, "--into", `sqlite:${file}`, "--staging", staging] };
}

test("a subscription that is canceled ends the run, when all was loaded", async () => {
  const { file, args } = begin();
  state.status = "canceled";
  for (const more of [["--once"], []]) {
    const { code, stderr } = await runHere([...args, ...more]);
    expect(code).toBe(exitCodes.refused);
    expect(stderr).toMatch(new RegExp(`subscription_canceled: .* as of ${asOf}: .*subscribe`));
  }
  expect(pricesIn(file)).toEqual(pricesOf([...listings(10), ...listings(3, 20)]));
});

test.each([
  ["paused", null, "The subscription is paused:"],
  ["suspended", { code: "entitlement_expired" }, "The subscription is suspended (entitlement_expired):"],
])("a subscription that is %s is told with the time of the data", async (status, failure, words) => {
  const { args } = begin();
  state = { status, failure };
  for (let k = 0; k < 2; k++) {
    const { code, stderr } = await runHere([...args, "--once"]);
    expect(code).toBe(exitCodes.done);
    expect(stderr).toContain(words);
    expect(stderr).toContain(`subscriptions resume ${subscription}`);
    expect(stderr).toContain(`The copy has the data of ${asOf}.`);
  }
});

test("a subscription that changes its state is told once per change, and is followed on", async () => {
  const { file, staging } = begin();
  server.deliveries.delete(delta.manifest.deliveryId);
  state.status = "paused";
  const [controller, told] = [new AbortController(), [] as string[]];
  const target = await openTarget(`sqlite:${file}`);
  const connection = connect({ url: server.url, apiKey, signal: controller.signal });
  const following = follow(serviceFeed(connection, subscription, { trust: jwks, reference: null }), {
    target,
    staging,
    pauses: [5, 5],
    signal: controller.signal,
    onState: ({ status }) => void told.push(status),
  });
  const looks = () => server.requests.filter(({ url }) => url.endsWith(subscription)).length;
  const afterLooks = async (count: number) => {
    for (const until = looks() + count; looks() < until; ) await setTimeout(5);
  };
  await afterLooks(4);
  state.status = "active";
  server.deliveries.set(delta.manifest.deliveryId, delta);
  await afterLooks(4);
  state.status = "suspended";
  await afterLooks(4);
  controller.abort();
  await expect(following).rejects.toMatchObject({ code: "interrupted" });
  await target.close();
  expect(told).toEqual(["paused", "active", "suspended"]);
  expect(pricesIn(file)).toEqual(pricesOf([...listings(10), ...listings(3, 20)]));
});
