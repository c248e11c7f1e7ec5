import { connect, follow, openTarget, readCopyState, serviceFeed } from "@cadastre/client";
import { describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { jwks, listings, makeDelivery, type TestDelivery } from "./support/deliveries.ts";
import { engines, load, overwrite, sqlite, withPostgres } from "./support/engines.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, useServer } from "./support/server.ts";

const server = useServer();
withPostgres();

const seed = await seedAfter(undefined, {
  datasets: { listing: listings(4), listing_media: [{ MediaKey: "m1" }] },
});
const delta = await deltaAfter(seed, { datasets: { listing: listings(1, 9), listing_media: [] } });
const snapshot = await makeDelivery({ id: "once", datasets: { listing: listings(2, 50) } });
const other = "0198f3a0-2222-7222-8333-444455556666";
const another = await seedAfter(undefined, {
  id: "another-seed",
  datasets: { listing: listings(3, 70) },
  edit: (manifest) => ({ ...manifest, subscriptionId: other }),
});

const serve = (...deliveries: readonly TestDelivery[]) => {
  server().deliveries.clear();
  for (const one of deliveries) server().deliveries.set(one.manifest.deliveryId, one);
};

describe.each(engines)("$name", ({ begin, isAbsent }) => {
  const has = test.skipIf(isAbsent);

  const kept = async () => {
    const place = await begin();
    const keys = async (table = "listing", key = "ListingKey") =>
      (await place.all(`select "${key}" as k from ${table} order by 1`)).map(({ k }) => k);
    const run = (command: string, ...args: readonly string[]) =>
      runHere([command, "--url", server().url, "--into", place.target, "--staging", emptyFolder(), ...args]);
    const follows = (...args: readonly string[]) =>
      run("follow", "--subscription", subscription, "--once", ...args);
    serve(seed, delta);
    expect(await follows()).toMatchObject({ code: 0 });
    return { ...place, keys, run, follows };
  };

  has("the copy of a subscription is not replaced by a snapshot, and no export is asked for", async () => {
    const { keys, run, follows } = await kept();
    const [before, asked] = [await keys(), server().requests.length];
    serve(snapshot);
    const { code, stderr } = await run("pull", "--domain", "listing");
    expect(stderr).toMatch(
      new RegExp(`^table_followed: \`listing\` .*${subscription}.*--prefix.*--replace-copy`),
    );
    expect([code, server().requests.length]).toEqual([8, asked]);
    expect((await run("pull", "once")).stderr).toMatch(/^table_followed: /);
    expect(await keys()).toEqual(before);
    serve(seed, delta);
    expect(await follows()).toMatchObject({ code: 0, stderr: "" });
  });

  has("it is not replaced by another subscription, and ends where that is wanted", async () => {
    const { target, keys, run, follows } = await kept();
    serve(another);
    const switched = ["--subscription", other, "--once"];
    const { code, stderr } = await run("follow", ...switched);
    expect([code, stderr]).toEqual([8, expect.stringMatching(/^table_followed: /)]);
    expect(await run("follow", ...switched, "--replace-copy")).toMatchObject({ code: 0 });
    expect(await keys()).toEqual(listings(3, 70).map(({ ListingKey }) => ListingKey));
    expect(await keys("listing_media", "MediaKey")).toEqual([]);
    expect((await readCopyState(target)).map(({ stream, fault }) => [stream, fault])).toEqual([
      [other, undefined],
    ]);
    serve(seed, delta);
    expect((await follows()).stderr).toMatch(/^table_followed: /);
  });

  has("a snapshot ends it with the option, and it can be begun anew", async () => {
    const { target, keys, run, follows } = await kept();
    serve(snapshot);
    const pulled = await run("pull", "--domain", "listing", "--replace-copy");
    expect([pulled.code, pulled.stderr]).toEqual([0, expect.stringContaining(", 2 rows in place of 6, and")]);
    expect(await keys()).toHaveLength(2);
    expect((await readCopyState(target)).map(({ stream }) => stream)).toEqual(["once"]);
    serve(seed, delta);
    expect(await follows()).toMatchObject({ code: 0 });
    expect(await keys()).toHaveLength(5);
  });

  has("tables that something else has filled are told at once, until they are loaded anew", async () => {
    const { exec, target, follows } = await kept();
    await overwrite({ exec }, snapshot);
    const words = /copy_replaced: `listing` was filled by delivery once at 2026-11-22T.*--replace-copy/;
    const { code, stderr } = await follows();
    expect([code, stderr]).toEqual([6, expect.stringMatching(words)]);
    const [state] = (await readCopyState(target)).filter(({ stream }) => stream === subscription);
    expect(state?.fault).toMatchObject({ code: "copy_replaced" });
    const offline = await runHere(["status", "--into", target]);
    expect(offline.stdout).toMatch(/1\.1 .* replaced/);
    expect([offline.code, offline.stderr]).toEqual([6, expect.stringMatching(words)]);
    // A seed replaces all, so a subscription that was reset goes on.
    const reset = await seedAfter(delta, { datasets: { listing: listings(6) } });
    serve(seed, delta, reset);
    const seeded = await follows();
    expect(seeded.code).toBe(0);
    expect(seeded.stderr).toContain(
      `the seed 2.0 as of ${reset.manifest.window.asOf}: 6 rows in place of 6.`,
    );
    expect((await readCopyState(target)).every(({ fault }) => fault === undefined)).toBe(true);
  });

  has("a copy that was lost is loaded anew with the option", async () => {
    const { exec, keys, follows } = await kept();
    await overwrite({ exec }, snapshot);
    expect(await follows("--replace-copy")).toMatchObject({ code: 0 });
    expect(await keys()).toHaveLength(5);
    await exec("drop table listing");
    expect((await follows()).stderr).toMatch(/^table_foreign: /);
    expect(await follows("--replace-copy")).toMatchObject({ code: 0 });
    expect(await keys()).toHaveLength(5);
  });
});

test("a run whose copy is ended meanwhile does not begin it anew", async () => {
  const place = await sqlite.begin();
  serve(seed, delta);
  const connection = connect({ url: server().url, apiKey });
  const target = await openTarget(place.target);
  const feed = serviceFeed(connection, subscription, { trust: jwks, reference: null });
  let ends = false;
  const following = follow(
    { ...feed, acknowledge: undefined },
    {
      target,
      staging: emptyFolder(),
      pauses: [5, 5],
      onCurrent: async ({ manifest }) => {
        if (ends || manifest.sequence !== 1) return;
        ends = true;
        await load(server(), place.target, snapshot, { replaceCopy: true });
      },
    },
  );
  await expect(following).rejects.toMatchObject({ code: "copy_ended" });
  await target.close();
  expect(await place.all("select * from listing")).toHaveLength(2);
});
