import { connect, followReplica, openReplica, type ReplicationOptions, replicate } from "@cadastre/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "./support/deliveries.ts";
import { withPostgres } from "./support/engines.ts";
import { byKey, type ReplicaPlace, replicaPlaces } from "./support/replicas.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";
import { type TrackedSet, trackedSet } from "./support/tracked-set.ts";

withPostgres();
let server: TestServer;
let set: TrackedSet;
beforeEach(async () => {
  server = await startServer();
  set = trackedSet();
  set.put(...Array.from({ length: 10 }, (_, k) => listing(k, 1)));
  server.trick = set.trick;
});
afterEach(() => server.close());

const listing = (k: number, price: number): Row => ({
  ListingKey: `K'${k}/é`,
  ListPrice: price,
  ModificationTimestamp: `2026-01-0${price}T00:00:${String(k).padStart(2, "0")}.000Z`,
});
const keyOf = (k: number) => String(listing(k, 1)["ListingKey"]);

const connection = (signal?: AbortSignal) =>
  connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 }, signal });

async function run(target: string, options: Partial<ReplicationOptions> = {}) {
  const replica = await openReplica(target);
  const walks: unknown[] = [];
  try {
    const onWalk: ReplicationOptions["onWalk"] = (reason, code) =>
      void walks.push(code === undefined ? reason : `${reason},${code}`);
    const report = await replicate(connection(), { resource: "Property", replica, onWalk, ...options });
    return { ...report, walks };
  } finally {
    await replica.close();
  }
}

/** Has the server fail at one of the next requests. */
const failAt = (request: number) => {
  let count = 0;
  server.trick = (asked, response, self) =>
    ++count === request ? json(response, 500, {}) : set.trick(asked, response, self);
};

describe.each(replicaPlaces.filter(({ isAbsent }) => !isAbsent))("$name", ({ begin, isDatabase }) => {
  let place: ReplicaPlace;
  beforeEach(async () => {
    place = await begin();
  });
  const isExact = async () => expect(await place.rows()).toEqual(byKey(set.rows()));

  test.each(["4.0", "4.01"] as const)(
    "applies the changes and removals of a delta link of %s",
    async (form) => {
      set.form = form;
      expect(await run(place.target)).toMatchObject({
        by: "walk",
        read: 10,
        next: "delta",
        walks: ["first"],
      });
      await isExact();
      expect(server.requests[0]?.headers["prefer"]).toBe("odata.maxpagesize=1000, odata.track-changes");

      set.put(listing(3, 2), listing(11, 2));
      set.remove(keyOf(0), keyOf(7));
      set.put(listing(5, 2), listing(7, 3));
      set.remove(keyOf(9), keyOf(11));
      const report = { resource: "Property", read: 3, removed: 2, by: "delta", since: null, next: "delta" };
      expect(await run(place.target)).toEqual({ ...report, walks: [] });
      await isExact();
      expect(await run(place.target)).toEqual({ ...report, read: 0, removed: 0, walks: [] });
      await isExact();
    },
  );

  test("goes on with the page at which a walk or a delta was interrupted, as of the same state", async () => {
    failAt(2);
    await expect(run(place.target)).rejects.toMatchObject({ code: "request_refused" });
    set.put(listing(0, 2));
    set.remove(keyOf(9));
    expect(await run(place.target)).toMatchObject({ by: "walk", read: 6, walks: [] });

    set.put(...Array.from({ length: 6 }, (_, k) => listing(k, 3)));
    failAt(2);
    await expect(run(place.target)).rejects.toMatchObject({ code: "request_refused" });
    set.remove(keyOf(0), keyOf(1));
    expect(await run(place.target)).toMatchObject({ by: "delta", walks: [] });
    expect(await run(place.target)).toMatchObject({ by: "delta", read: 0, removed: 2 });
    await isExact();
  });

  test("reads all anew when the link has expired, and removes what is gone at the end", async () => {
    await run(place.target);
    set.remove(keyOf(0), keyOf(1));
    set.put(listing(2, 2));
    set.prune();
    failAt(3);
    await expect(run(place.target)).rejects.toMatchObject({ code: "request_refused" });
    expect((await place.rows()).length).toBe(10);
    server.trick = set.trick;
    expect(await run(place.target)).toMatchObject({ by: "walk", removed: 2, walks: [] });
    await isExact();

    set.remove(keyOf(3));
    set.prune();
    const why = ["expired,delta_link_expired"];
    expect(await run(place.target)).toMatchObject({ by: "walk", read: 7, removed: 1, walks: why });
    await isExact();
  });

  test("begins a walk anew whose next link has expired", async () => {
    failAt(3);
    await expect(run(place.target)).rejects.toThrow();
    set.remove(keyOf(0));
    set.prune();
    server.trick = set.trick;
    expect(await run(place.target)).toMatchObject({ by: "walk", read: 9, removed: 1 });
    await isExact();
  });

  test("ends with the refusal if every walk breaks off", async () => {
    await run(place.target);
    server.trick = ({ url }, response) =>
      url.includes("token")
        ? json(response, 410, { error: { code: "delta_link_expired" } })
        : json(response, 200, { value: [], "@odata.nextLink": `${server.url}/reso/odata/Property?token` });
    await expect(run(place.target)).rejects.toMatchObject({ code: "delta_link_expired", exitCode: 4 });
    expect((await place.rows()).length).toBe(10);
  });

  test("reads all anew with another filter, selection or key", async () => {
    await run(place.target);
    expect(await run(place.target, { filter: "ListPrice eq 1" })).toMatchObject({ walks: ["query"] });
    expect(await run(place.target, { filter: "ListPrice eq 1" })).toMatchObject({ by: "delta", walks: [] });
    expect(await run(place.target, { select: ["ListPrice"] })).toMatchObject({ walks: ["query"] });
  });

  test("takes delta links once the service has them", async () => {
    set.isTracked = false;
    expect(await run(place.target)).toMatchObject({ by: "walk", next: "timestamps" });
    set.put(listing(3, 2));
    set.remove(keyOf(0));
    expect(await run(place.target)).toMatchObject({ by: "timestamps", removed: 1, next: "timestamps" });
    await isExact();
    set.isTracked = true;
    set.remove(keyOf(4));
    expect(await run(place.target)).toMatchObject({ by: "walk", removed: 1, walks: ["tracked"] });
    await isExact();
  });

  test("goes on by timestamps where the service has no delta links any more", async () => {
    await run(place.target);
    set.isTracked = false;
    set.remove(keyOf(4));
    server.trick = (request, response, self) =>
      request.url.includes("token=d")
        ? json(response, 501, { error: { code: "not_implemented" } })
        : set.trick(request, response, self);
    const why = ["expired,not_implemented"];
    expect(await run(place.target)).toMatchObject({ by: "walk", removed: 1, next: "timestamps", walks: why });
    await isExact();
  });

  test("an empty set has a delta link too", async () => {
    set.remove(...set.rows().map((row) => String(row["ListingKey"])));
    expect(await run(place.target)).toMatchObject({ by: "walk", read: 0, next: "delta" });
    set.put(listing(1, 1));
    expect(await run(place.target)).toMatchObject({ by: "delta", read: 1 });
    await isExact();
  });

  test("a run that another one has overtaken is refused", async () => {
    await run(place.target);
    set.put(listing(3, 2));
    let others = 0;
    server.trick = async (request, response, self) => {
      if (others++ === 0) await run(place.target);
      return set.trick(request, response, self);
    };
    await expect(run(place.target)).rejects.toMatchObject({ code: "replica_in_use", exitCode: 4 });
    await isExact();
  });

  test("a change without a key, and changes without a link, are refused", async () => {
    await run(place.target);
    for (const body of [
      {
        value: [{ "@removed": { reason: "deleted" } }],
        "@odata.deltaLink": `${server.url}/reso/odata/Property?d`,
      },
      { value: [] },
    ]) {
      server.trick = (_, response) => json(response, 200, body);
      await expect(run(place.target)).rejects.toMatchObject({ code: "answer_malformed", exitCode: 5 });
    }
    expect((await place.rows()).length).toBe(10);
  });

  test("follows until the signal", async () => {
    const controller = new AbortController();
    const replica = await openReplica(place.target);
    const reports: string[] = [];
    const following = followReplica(connection(controller.signal), {
      resource: "Property",
      replica,
      pauses: [10, 20],
      onReport: ({ by, read, removed }) => {
        reports.push(`${by} ${read} ${removed}`);
        if (reports.length === 1) set.put(listing(3, 2));
        if (reports.length === 2) set.remove(keyOf(5));
        if (reports.length === 4) controller.abort();
      },
    });
    await expect(following).rejects.toMatchObject({ code: "interrupted" });
    await replica.close();
    expect(reports).toEqual(["walk 10 0", "delta 1 0", "delta 0 1", "delta 0 0"]);
    await isExact();
  });

  test.runIf(isDatabase)("reads all anew into a table that was dropped", async () => {
    await run(place.target);
    await place.exec('drop table "Property"');
    expect(await run(place.target)).toMatchObject({ by: "walk", read: 10, walks: ["lost"] });
    await isExact();
  });

  test.runIf(isDatabase)("goes on with a copy of an earlier release", async () => {
    set.isTracked = false;
    await run(place.target);
    await place.exec("alter table cadastre_replicas drop column position");
    await place.exec("drop table cadastre_replica_keys");
    set.remove(keyOf(2));
    expect(await run(place.target)).toMatchObject({ by: "timestamps", removed: 1 });
    await isExact();
  });

  test.runIf(isDatabase)("a table of keys that is not this program's is refused", async () => {
    await place.exec("create table cadastre_replica_keys (resource text, key text)");
    await expect(run(place.target)).rejects.toMatchObject({ code: "table_occupied", exitCode: 8 });
    expect(server.requests).toEqual([]);
  });
});
