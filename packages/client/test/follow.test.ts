import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect, exitCodes, follow, openTarget, serviceFeed } from "@cadastre/client";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { pricesIn, pricesOf } from "./support/copies.ts";
import { jwks, listings, type Row, type TestDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { run, runHere, start } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";
import { remoteSubscription } from "./support/subscriptions.ts";

const priced = (rows: readonly Row[], price: number) => rows.map((row) => ({ ...row, ListPrice: price }));

/** A seed, two deltas, and what a copy holds after each. */
const seed = await seedAfter(undefined, { rowsPerPart: 4, datasets: { listing: listings(10) } });
const changed = priced(listings(3, 2), 7.5);
const first = await deltaAfter(seed, {
  datasets: { listing: changed },
  removals: { listing: ["LSM_000000"] },
});
const second = await deltaAfter(first, {
  datasets: { listing: listings(2, 20) },
  removals: { listing: ["LSM_000002"] },
});
const chain = [seed, first, second];
const views = [
  listings(10),
  [...listings(2).slice(1), ...changed, ...listings(10).slice(5)],
  [...listings(2).slice(1), ...changed.slice(1), ...listings(10).slice(5), ...listings(2, 20)],
].map(pricesOf);

let server: TestServer;
beforeEach(async () => {
  server = await startServer(...chain);
});
afterEach(() => server.close());

const acknowledged = () =>
  server.requests
    .filter(({ url }) => url.endsWith("/acknowledge"))
    .map(({ body }) => JSON.parse(body) as { generation: number; sequence: number; manifest_sha256: string });
const hashes = () => acknowledged().map(({ manifest_sha256: hash }) => hash);
const add = (...deliveries: readonly TestDelivery[]) => {
  for (const one of deliveries) server.deliveries.set(one.manifest.deliveryId, one);
};
const only = (...deliveries: readonly TestDelivery[]) => {
  server.deliveries.clear();
  add(...deliveries);
};

/** A place in a new folder, and the command line that follows into it. */
function begin() {
  const folder = emptyFolder();
  const file = join(folder, "copy.sqlite");
  const staging = join(folder, "staging");
  const args = ["follow", "--subscription", subscription, "--url", server.url];
  return { folder, file, staging, args: [...args, "--into", `sqlite:${file}`, "--staging", staging] };
}

/** Follow into a SQLite file, with what the copy holds as each delivery is acknowledged. */
async function followOnce(file: string, staging: string, signal?: AbortSignal) {
  const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 }, signal });
  const target = await openTarget(`sqlite:${file}`);
  const seen: unknown[] = [];
  const feed = serviceFeed(connection, subscription, { trust: jwks, reference: "test" });
  try {
    await follow(feed, {
      target,
      staging,
      once: signal === undefined,
      pauses: [5, 20],
      signal,
      onCurrent: () => void seen.push(pricesIn(file)),
    });
  } finally {
    await target.close();
  }
  return seen;
}

test("the copy is the view of each delivery as it is acknowledged", async () => {
  const { file, staging } = begin();
  expect(await followOnce(file, staging)).toEqual(views);
  expect(hashes()).toEqual(chain.map(({ sha256 }) => sha256));
  expect(filesIn(staging)).toEqual([]);
  // Acknowledged before the next manifest is asked for.
  const told = server.requests.map(({ url }) => url).filter((url) => /(?:manifest|acknowledge)$/.test(url));
  expect(told).toEqual(
    chain.flatMap(({ manifest: { deliveryId } }) =>
      ["manifest", "acknowledge"].map((what) => `/v1/file-exports/${deliveryId}/${what}`),
    ),
  );
});

test("a seed of a later generation takes the place of all before it", async () => {
  const { file, staging } = begin();
  only(seed, first);
  await followOnce(file, staging);
  const again = await seedAfter(second, { datasets: { listing: listings(4, 50) } });
  const after = await deltaAfter(again, { datasets: { listing: listings(1, 60) } });
  add(second, again, after);
  const seen = await followOnce(file, staging);
  expect(seen.slice(1)).toEqual([
    pricesOf(listings(4, 50)),
    pricesOf([...listings(4, 50), ...listings(1, 60)]),
  ]);
  expect(hashes()).not.toContain(second.sha256);
});

test("the program says what it has loaded, and that nothing is left", async () => {
  const { file, args } = begin();
  const { code, stdout } = await runHere([...args, "--once", "--json"]);
  expect(code).toBe(exitCodes.done);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
    chain.map(({ manifest, sha256 }) => ({
      deliveryId: manifest.deliveryId,
      domain: "listing",
      kind: manifest.kind,
      generation: 1,
      sequence: manifest.sequence,
      manifestSha256: sha256,
      rows: manifest.totals.rowCount,
      removals: manifest.totals.removalCount,
    })),
  );
  expect(pricesIn(file)).toEqual(views.at(-1));
  expect(await runHere([...args, "--once", "--json"])).toMatchObject({ code: 0, stdout: "" });
});

describe("killed, it goes on:", () => {
  /** The rest is as if nothing had happened. */
  const goesOn = async ({ file, args, staging }: ReturnType<typeof begin>) => {
    server.trick = () => false;
    expect(await run([...args, "--once"])).toMatchObject({ code: 0 });
    expect(pricesIn(file)).toEqual(views.at(-1));
    expect(filesIn(staging)).toEqual([]);
    const database = new Database(file, { readonly: true });
    expect(database.prepare("select count(*) from cadastre_loads").pluck().get()).toBe(3);
    database.close();
    expect([...new Set(hashes())]).toEqual(chain.map(({ sha256 }) => sha256));
  };

  const killedAt = async (point: RegExp, passed: number) => {
    const place = begin();
    const program = start([...place.args, "--once", "--parallel", "1"]);
    let met = 0;
    server.trick = ({ url }) => {
      if (!point.test(url) || met++ < passed) return false;
      program.kill("SIGKILL");
      return true;
    };
    expect(await program.outcome).toMatchObject({ code: null });
    return place;
  };

  test.each([
    ["while the deliveries are listed", /deliveries/, 1],
    ["while a manifest is fetched", /manifest$/, 2],
    ["among the parts of the seed", /redeem$/, 1],
    ["among the parts of a delta", /redeem$/, 4],
    ["after the seed is committed", /acknowledge$/, 0],
    ["after a delta is committed", /acknowledge$/, 1],
  ])("%s", async (_, point, passed) => {
    await goesOn(await killedAt(point, passed));
  });

  test("between staging and commit", async () => {
    const place = begin();
    only(seed);
    await followOnce(place.file, place.staging);
    add(...chain);
    const other = new Database(place.file);
    const program = start([...place.args, "--once"]);
    // Once the ledger was asked what comes next, the load has to wait.
    server.trick = ({ url }) => {
      if (url.endsWith("/redeem") && !other.inTransaction) other.exec("begin immediate");
      return false;
    };
    const parts = first.manifest.parts.map(({ name }) =>
      join(place.staging, first.manifest.deliveryId, name),
    );
    while (!parts.every((part) => existsSync(part))) await setTimeout(10);
    await setTimeout(400);
    program.kill("SIGKILL");
    expect(await program.outcome).toMatchObject({ code: null });
    other.exec("rollback");
    other.close();
    expect(pricesIn(place.file)).toEqual(views[0]);
    const before = server.requests.length;
    await goesOn(place);
    // What was staged is not fetched again.
    const granted = server.requests.slice(before).filter(({ url }) => url.includes("/download"));
    expect(granted.every(({ url }) => url.includes(second.manifest.deliveryId))).toBe(true);
  });
});

describe("far behind", () => {
  /** Deliveries that are only listed. */
  const listedOnly = (generation: number, upTo: number) =>
    Array.from({ length: upTo + 1 }, (_, sequence) => {
      const deliveryId = `0198f3a2-${String(generation).padStart(4, "0")}-7000-8000-${String(sequence).padStart(12, "0")}`;
      return { ...seed, manifest: { ...seed.manifest, deliveryId, generation, sequence } };
    });
  const linkOf = ({ manifest }: TestDelivery) => ({ manifest, sha256: "" });
  const feedOf = () => {
    const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 } });
    return serviceFeed(connection, subscription, { trust: jwks, reference: null });
  };

  test("deltas follow one another, listed by pages", async () => {
    const all = listedOnly(1, 1300);
    only(...all);
    // One that was canceled, in the place of another.
    const canceled = { ...seed.manifest, deliveryId: "0198f3a1-0001-7000-8000-000000000000", sequence: 7 };
    add({ ...seed, manifest: canceled });
    server.states.set(canceled.deliveryId, "canceled");
    const feed = feedOf();
    for (const [sequence, one] of all.entries()) {
      const next = await feed.next(linkOf(one));
      expect(next?.sequence).toBe(sequence === 1300 ? undefined : sequence + 1);
    }
    // What is on a page is not listed again, until the last deliveries are reached.
    const pages = server.requests.filter(({ url }) => url.includes("from="));
    expect(pages.map(({ url }) => url.split("from=")[1])).toEqual(["1.0", "1.498"]);
    add(...listedOnly(1, 1301).slice(-1));
    expect((await feed.next(linkOf(all[1300] ?? seed)))?.sequence).toBe(1301);
  });

  test("the seed of a later generation comes first, however many deltas follow it", async () => {
    const [before, later] = [listedOnly(1, 30), listedOnly(2, 700)];
    only(...before, ...later);
    expect(await feedOf().next(linkOf(before[3] ?? seed))).toMatchObject({ generation: 2, sequence: 0 });
    expect(await feedOf().next(undefined)).toMatchObject({ generation: 2, sequence: 0 });
    server.states.set(later[0]?.manifest.deliveryId ?? "", "expired");
    expect(await feedOf().next(linkOf(before[3] ?? seed))).toMatchObject({ generation: 1, sequence: 4 });
  });

  test("what is missing on the pages is missed, and so is what an earlier version does not list", async () => {
    const all = listedOnly(1, 600);
    only(...all.filter((_, sequence) => sequence !== 5));
    await expect(feedOf().next(linkOf(all[4] ?? seed))).rejects.toMatchObject({ code: "delivery_missed" });
    only(...all);
    server.trick = ({ url }, response) => {
      if (!url.includes("from=")) return false;
      json(response, 400, { error: "unknown_parameter" });
      return true;
    };
    await expect(feedOf().next(linkOf(all[4] ?? seed))).rejects.toMatchObject({ code: "delivery_missed" });
  });
});

describe("what is staged ahead", () => {
  const placeOf = ({ manifest: { deliveryId: id, generation, sequence } }: TestDelivery) => {
    return { id, generation, sequence, isComplete: true };
  };

  /** Follows with a feed that knows the whole chain. */
  async function followAhead(): Promise<string> {
    const { file, staging } = begin();
    const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 } });
    const feed = serviceFeed(connection, subscription, { trust: jwks, reference: "test" });
    const target = await openTarget(`sqlite:${file}`);
    const places = chain.map(placeOf);
    const ahead: typeof feed.ahead = ({ id }) => places.slice(places.findIndex((one) => one.id === id) + 1);
    try {
      await follow({ ...feed, ahead }, { target, staging, once: true });
    } finally {
      await target.close();
    }
    expect(filesIn(staging)).toEqual([]);
    return file;
  }

  test("is loaded in order, and fetched once", async () => {
    expect(pricesIn(await followAhead())).toEqual(views[2]);
    const urls = server.requests.map(({ url }) => url);
    const acknowledgement = urls.findIndex((url) => url.endsWith(`${seed.manifest.deliveryId}/acknowledge`));
    const last = urls.findIndex((url) => url.includes(`${second.manifest.deliveryId}/download`));
    expect(last).toBeGreaterThan(-1);
    expect(last).toBeLessThan(acknowledgement);
    const downloads = urls.filter((url) => url.includes("/download"));
    expect(new Set(downloads).size).toBe(downloads.length);
  });

  test("is fetched again if that failed", async () => {
    const failing = new Set([
      `${first.manifest.deliveryId}/manifest`,
      `${second.manifest.deliveryId}/download`,
    ]);
    server.trick = ({ url }, response) => {
      const one = [...failing].find((path) => url.includes(path));
      if (one === undefined) return false;
      failing.delete(one);
      json(response, 404, { error: "not_found" });
      return true;
    };
    const file = await followAhead();
    expect(pricesIn(file)).toEqual(views[2]);
    expect(failing.size).toBe(0);
  });
});

describe("it stops, and leaves the copy as it was, for", () => {
  const stopsAt = async (code: string, exitCode: number, upTo = 0) => {
    const { file, staging } = begin();
    const served = [...server.deliveries.values()];
    only(...chain.slice(0, upTo + 1));
    await followOnce(file, staging);
    only(...served);
    await expect(followOnce(file, staging)).rejects.toMatchObject({ code });
    expect(pricesIn(file)).toEqual(views[upTo]);
    const place = ["--into", `sqlite:${file}`, "--staging", staging];
    const asked = ["follow", "--subscription", subscription, "--url", server.url, "--once", "--tries", "1"];
    const { code: ended } = await runHere([...asked, ...place]);
    expect(ended).toBe(exitCode);
  };
  const changes = { datasets: { listing: listings(1, 90) } };

  test("a delta after another history", async () => {
    const other = await seedAfter(undefined, changes);
    only(seed, await deltaAfter(other, changes));
    await stopsAt("chain_fork", 6);
  });

  test("another delivery in the place of the last one", async () => {
    only(seed, await deltaAfter(seed, { ...changes, id: "other" }));
    await stopsAt("chain_fork", 6, 1);
  });

  test("two deliveries in one place", async () => {
    only(...chain, await deltaAfter(seed, { ...changes, id: "other" }));
    await stopsAt("chain_fork", 6);
  });

  test("a service that has gone back", async () => {
    only(seed, first);
    await stopsAt("chain_rollback", 6, 2);
  });

  test("a delta that is missing", async () => {
    only(seed, second);
    await stopsAt("delivery_missed", 3);
  });

  test("a delta that has expired", async () => {
    const { file, staging } = begin();
    only(seed);
    await followOnce(file, staging);
    only(...chain);
    server.states.set(first.manifest.deliveryId, "expired");
    await expect(followOnce(file, staging)).rejects.toMatchObject({ code: "delivery_missed" });
  });

  test("a seed that has expired before anything was loaded", async () => {
    const { file, staging } = begin();
    server.states.set(seed.manifest.deliveryId, "expired");
    await expect(followOnce(file, staging)).rejects.toMatchObject({ code: "delivery_missed" });
  });

  test("a part that was changed", async () => {
    const [part] = first.manifest.parts;
    const parts = new Map(first.parts).set(part?.number ?? 0, Buffer.alloc(part?.byteLength ?? 0));
    only(seed, { ...first, parts });
    await stopsAt("part_hash_differs", 5);
  });

  test("a manifest of another place", async () => {
    only(seed, { ...first, ...second, manifest: first.manifest });
    await stopsAt("manifest_foreign", 5);
  });

  test("a delivery of another subscription", async () => {
    const edit = (manifest: TestDelivery["manifest"]) => ({ ...manifest, subscriptionId: "another" });
    const foreign = await deltaAfter(seed, { ...changes, edit });
    only(seed, { ...foreign, manifest: { ...foreign.manifest, subscriptionId: subscription } });
    await stopsAt("manifest_foreign", 5);
  });

  test("an acknowledgement that the service contradicts", async () => {
    server.trick = ({ url }, response) =>
      url.endsWith("/acknowledge") && json(response, 409, { error: "manifest_conflict" });
    const { file, staging } = begin();
    await expect(followOnce(file, staging)).rejects.toMatchObject({ code: "acknowledge_conflict" });
    expect(pricesIn(file)).toEqual(views[0]);
  });
});

test("it waits for what comes, through a service that is busy and an entitlement that changes", async () => {
  const { file, staging } = begin();
  only(seed);
  const controller = new AbortController();
  const following = followOnce(file, staging, controller.signal);
  const until = async (reached: () => boolean) => {
    while (!reached()) await setTimeout(5);
  };
  await until(() => hashes().includes(seed.sha256));
  let refused = 0;
  server.trick = (_, response) => refused++ < 3 && json(response, 503, {});
  await until(() => refused > 4);
  refused = 0;
  server.trick = ({ url }, response) =>
    url.endsWith("/manifest") && refused++ < 3 && json(response, 403, { error: "entitlement_changed" });
  add(first);
  await until(() => hashes().includes(first.sha256));
  controller.abort();
  await expect(following).rejects.toMatchObject({ code: "interrupted" });
  expect(pricesIn(file)).toEqual(views[1]);
});

test("it ends where the service asks for a longer pause than it would take", async () => {
  const { file, staging } = begin();
  server.trick = (_, response) => json(response, 503, {}, { "retry-after": "86400" });
  const following = followOnce(file, staging, new AbortController().signal);
  await expect(following).rejects.toMatchObject({ code: "wait_too_long" });
  expect(server.requests).toHaveLength(1);
});

test("it ends with a signal", async () => {
  const { args } = begin();
  const program = start(args);
  while (!hashes().includes(second.sha256)) await setTimeout(10);
  program.kill("SIGINT");
  expect(await program.outcome).toMatchObject({ code: exitCodes.later });
});

test("without --acknowledge nobody is told", async () => {
  const { args } = begin();
  expect(await runHere([...args, "--once", "--no-acknowledge"])).toMatchObject({ code: 0 });
  expect(hashes()).toEqual([]);
});

test.each<readonly [string, readonly string[], string]>([
  ["neither service nor bucket", ["--subscription", "x"], "url_or_bucket"],
  ["no subscription", ["--url", "http://localhost"], "--subscription"],
  [
    "no subscription's id",
    ["--subscription", "../x", "--from-bucket", "s3://bucket/p", "--unsigned"],
    "subscription_id_invalid",
  ],
  ["a bucket without keys", ["--subscription", "x", "--from-bucket", "s3://b/p"], "keys_or_unsigned"],
  ["no bucket", ["--subscription", "x", "--from-bucket", "https://b/p", "--unsigned"], "bucket_invalid"],
])("with %s the command line is wrong", async (_, args, words) => {
  const { code, stderr } = await runHere(["follow", "--into", emptyFolder(), ...args]);
  expect(stderr).toContain(words);
  expect(code).toBe(exitCodes.usage);
});

describe("a subscription that is given by its name", () => {
  const named = (name: string) => {
    const { file, staging } = begin();
    const args = ["follow", "--subscription", name, "--url", server.url, "--once", "--json"];
    return { file, args: [...args, "--into", `sqlite:${file}`, "--staging", staging] };
  };
  const serve = (...listed: readonly object[]) => {
    server.trick = ({ url }, response) =>
      url === "/v1/file-export-subscriptions?limit=500" && json(response, 200, { data: listed, meta: {} });
  };

  test("is followed as by its id", async () => {
    serve({ ...remoteSubscription, id: "other", status: "canceled" }, remoteSubscription);
    const { file, args } = named("nightly");
    expect(await runHere(args)).toMatchObject({ code: exitCodes.done });
    expect(pricesIn(file)).toEqual(views[2]);
  });

  test("is looked up only if it is no UUID", async () => {
    expect(await runHere(named(subscription).args)).toMatchObject({ code: exitCodes.done });
    expect(server.requests.filter(({ url }) => url.includes("limit=500"))).toEqual([]);
  });

  test.each([
    ["weekly", [remoteSubscription], "subscription_unknown", ["nightly"]],
    ["nightly", [{ ...remoteSubscription, status: "canceled" }], "subscription_unknown", []],
    [
      "nightly",
      [remoteSubscription, { ...remoteSubscription, id: "b" }],
      "subscription_ambiguous",
      [subscription, "b"],
    ],
  ] as const)("%s among %j is %s, with those that there are", async (name, listed, error, allowed) => {
    serve(...listed);
    const { file, args } = named(name);
    const { code, stdout, stderr } = await runHere(args);
    expect([code, stdout]).toEqual([exitCodes.refused, ""]);
    expect(JSON.parse(stderr)).toMatchObject({ error, target: "--subscription", allowed });
    for (const known of allowed) expect((JSON.parse(stderr) as { message: string }).message).toContain(known);
    expect(existsSync(file)).toBe(false);
  });
});
