import { openTarget } from "@cadastre/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { listings } from "./support/deliveries.ts";
import { engines, load, withPostgres } from "./support/engines.ts";
import { startServer, type TestServer } from "./support/server.ts";

let server: TestServer;
withPostgres();
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

describe.each(engines)("$name", ({ begin, isAbsent }) => {
  const has = test.skipIf(isAbsent);

  has("a purge empties the tables of the copy alone, and the copy can begin anew", async () => {
    const place = await begin();
    const seed = await seedAfter(undefined, { datasets: { listing: listings(10) } });
    const delta = await deltaAfter(seed, { datasets: { listing: listings(3, 20) } });
    for (const delivery of [seed, delta]) await load(server, place.target, delivery);
    await place.exec("create table mine (note text); insert into mine values ('kept')");
    const target = await openTarget(place.target);
    expect(await target.last(subscription)).toBeDefined();
    expect(await target.purge("another")).toEqual({ deleted: [], left: [] });
    expect(await place.all("select * from listing")).toHaveLength(13);
    const { deleted, left } = await target.purge(subscription);
    expect([deleted, left]).toEqual([[{ name: "listing", rows: 13 }], []]);
    expect(await target.last(subscription)).toBeUndefined();
    await target.close();
    expect(await place.all("select * from listing")).toEqual([]);
    expect(await place.all("select * from cadastre_loads")).toEqual([]);
    expect(await place.all("select note from mine")).toEqual([{ note: "kept" }]);
    expect(await load(server, place.target, seed)).toBe("new");
    expect(await place.all("select * from listing")).toHaveLength(10);
  });

  has("a table that is no longer the copy's is left, and named", async () => {
    const place = await begin();
    await load(server, place.target, await seedAfter(undefined, { datasets: { listing: listings(4) } }));
    await place.exec(
      "drop table listing; create table listing (note text); insert into listing values ('mine')",
    );
    const target = await openTarget(place.target);
    expect(await target.purge(subscription)).toEqual({ deleted: [], left: ["listing"] });
    await target.close();
    expect(await place.all("select note from listing")).toEqual([{ note: "mine" }]);
  });
});
