import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Reply } from "../support/ask.ts";
import { errorBody } from "../support/error-body.ts";
import { removalsOf } from "../support/removals.ts";
import {
  absent,
  type Databases,
  everything,
  granting,
  hillcountry,
  house,
  listing,
  openPostgres,
  openSqlite,
  type PropertyService,
  provisional,
  startPropertyService,
  tower,
} from "./property-service.ts";

const customers = {
  whole: everything,
  texasAlone: { ...everything, regions: [{ kind: "state", value: "TX" }] },
  hillcountryAlone: granting({ [hillcountry.datasetId]: { fields: "*" } }),
} as const;
type Customer = keyof typeof customers;

let server: PostgresServer;
if (hasPostgres) {
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
} else console.warn("PostgreSQL is left out: no server is installed");

const databases: Readonly<Record<string, () => Promise<Databases>>> = {
  SQLite: openSqlite,
  ...(hasPostgres ? { PostgreSQL: () => openPostgres(server.url) } : {}),
};

describe.each(Object.entries(databases))("identities over %s", (_name, open) => {
  let service: PropertyService;
  let store: PropertyService["store"];
  let registry: PropertyService["registry"];
  beforeEach(async () => {
    service = await startPropertyService(customers, open);
    ({ store, registry } = service);
  });
  afterEach(() => service.stop());

  const get = (id: string, customer: Customer = "whole") => service.get(`/v1/properties/${id}`, customer);

  /** The id that is answered, its listings, and the version. */
  async function find(id: string, customer?: Customer) {
    const { status, text } = await get(id, customer);
    expect([id, status, text.slice(0, 80)]).toEqual([id, 200, expect.any(String)]);
    const { data } = JSON.parse(text) as {
      data: { id: string; version: string; attributes: Readonly<Record<string, unknown>> };
    };
    return { id: data.id, keys: data.attributes["listing_keys"], version: data.version };
  }
  const keysOf = async (id: string, customer?: Customer) => (await find(id, customer)).keys;
  /** What an answer says, but for when it was given. */
  const saying = ({ status, text, headers }: Reply) => {
    const { date: _, "x-request-id": __, ...others } = headers;
    return [status, text, others];
  };
  /** That an id is answered byte by byte as one that nobody has. */
  async function expectAbsent(id: string, customer?: Customer): Promise<void> {
    const reply = await get(id, customer);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([404, errorBody("not_found")]);
    expect(saying(reply)).toEqual(saying(await get(absent, customer)));
  }

  test("one that is resolved goes on answering, as the Placekey, byte by byte", async () => {
    const [unresolved, known] = [listing("a"), listing("b", { Placekey: house, StreetNumber: "14" })];
    await store.commit([unresolved, known]);
    expect(await find(provisional(unresolved))).toMatchObject({ id: provisional(unresolved), keys: ["a"] });
    const before = await find(house);
    await registry.identities.resolve(provisional(unresolved), house, 0);
    const [old, resolved] = [await get(provisional(unresolved)), await get(house)];
    expect(saying(old)).toEqual(saying(resolved));
    const after = await find(house);
    expect(after).toMatchObject({ id: house, keys: ["a", "b"] });
    expect(after.version).not.toBe(before.version);
  });

  test("two that are resolved to one Placekey are merged, and split when one is taken back", async () => {
    const [one, other] = [listing("a"), listing("b", { StreetNumber: "14" }, hillcountry)];
    await store.commit([one, other]);
    const apart = await find(provisional(one));
    for (const row of [one, other]) await registry.identities.resolve(provisional(row), house, 0);
    const together = await find(provisional(one));
    expect(together).toMatchObject({ id: house, keys: ["a", "b"] });
    expect(await find(provisional(other))).toEqual(together);
    await registry.identities.release(provisional(other));
    expect(await find(house)).toMatchObject({ id: house, keys: ["a"] });
    expect(await find(provisional(other))).toMatchObject({ id: provisional(other), keys: ["b"] });
    await registry.identities.release(provisional(one));
    expect(await find(provisional(one))).toEqual(apart);
    await expectAbsent(house);
  });

  test("a chain of resolutions answers as its end, and is cut where one is taken back", async () => {
    const [one, other] = [listing("a"), listing("b", { StreetNumber: "14" })];
    await store.commit([one, other, listing("c", { Placekey: house }), listing("d", { Placekey: tower })]);
    for (const row of [one, other]) await registry.identities.resolve(provisional(row), house, 0);
    await registry.identities.resolve(house, tower, 0);
    const ids = [provisional(one), provisional(other), house, tower];
    const texts = new Set(await Promise.all(ids.map(async (id) => (await get(id)).text)));
    expect(texts.size).toBe(1);
    expect(await keysOf(tower)).toEqual(["a", "b", "c", "d"]);
    await registry.identities.release(house);
    expect([await keysOf(tower), await keysOf(provisional(one))]).toEqual([["d"], ["a", "b", "c"]]);
    await registry.identities.release(provisional(other));
    expect([await keysOf(house), await keysOf(provisional(other))]).toEqual([["a", "c"], ["b"]]);
  });

  test("a corrected Placekey splits listings into two properties, and back", async () => {
    const sale = listing("a", { Placekey: house });
    const lease = (Placekey: string) => listing("b", { Placekey, UnitNumber: "2" });
    await store.commit([sale, lease(house)]);
    const both = await find(house);
    expect(both.keys).toEqual(["a", "b"]);
    await expectAbsent(tower);
    await store.commit([lease(tower)]);
    const [kept, split] = [await find(house), await find(tower)];
    expect([kept.id, kept.keys, split.id, split.keys]).toEqual([house, ["a"], tower, ["b"]]);
    expect(new Set([both, kept, split].map(({ version }) => version)).size).toBe(3);
    await store.commit([lease(house)]);
    expect(await find(house)).toEqual(both);
    await expectAbsent(tower);
  });

  test("a listing that moves to another Placekey leaves the old one, and its provisional id follows it", async () => {
    await store.commit([listing("a", { Placekey: house }), listing("b", { Placekey: house })]);
    const before = await find(house);
    const moved = listing("a", { Placekey: tower, ModificationTimestamp: "2025-02-01T00:00:00.000Z" });
    await store.commit([moved]);
    const [left, there] = [await find(house), await find(tower)];
    expect([left.id, left.keys, there.id, there.keys]).toEqual([house, ["b"], tower, ["a"]]);
    expect(left.version).not.toBe(before.version);
    // The newest change that the view shows comes first in a version.
    expect(there.version > before.version).toBe(true);
    // Two Placekeys share the address: it answers as that of the listing that counts most.
    expect(await find(provisional(moved))).toEqual(there);
    await store.commit(removalsOf("Property", "b"));
    await expectAbsent(house);
    expect(await find(tower)).toEqual(there);
  });

  test("a Placekey of the source counts before what its address was resolved to", async () => {
    const own = listing("a", { Placekey: tower });
    await store.commit([own, listing("b")]);
    await registry.identities.resolve(provisional(own), house, 0);
    expect([await keysOf(house), await keysOf(tower)]).toEqual([["b"], ["a"]]);
  });

  test("two systems with the same ListingId are told apart by their Placekeys, and grouped by them alone", async () => {
    const said = { ListingId: "1" };
    await store.commit([
      listing("a", { ...said, Placekey: house }),
      listing("b", { ...said, Placekey: tower }, hillcountry),
    ]);
    expect([await keysOf(house), await keysOf(tower)]).toEqual([["a"], ["b"]]);
    await expectAbsent(house, "hillcountryAlone");
    await store.commit([listing("b", { ...said, Placekey: house }, hillcountry)]);
    expect([await keysOf(house), await keysOf(house, "hillcountryAlone")]).toEqual([["a", "b"], ["b"]]);
    await expectAbsent("1");
  });

  test("a property whose every listing leaves the entitlement is answered as one that never was", async () => {
    const said = { Placekey: house };
    const [one, other] = [listing("a", said), listing("b", { ...said, StreetNumber: "14" }, hillcountry)];
    await store.commit([one, other, listing("c")]);
    expect(await keysOf(house, "texasAlone")).toEqual(["a", "b"]);
    const away = { ...said, StateOrProvince: "OK" };
    await store.commit([listing("a", away)]);
    expect(await keysOf(house, "texasAlone")).toEqual(["b"]);
    await store.commit([listing("b", { ...away, StreetNumber: "14" }, hillcountry)]);
    await expectAbsent(house, "texasAlone");
    await expectAbsent(provisional(other), "texasAlone");
    // A listing that is left with the address of one that went keeps that id.
    expect(await keysOf(provisional(one), "texasAlone")).toEqual(["c"]);
    expect(await keysOf(house)).toEqual(["a", "b"]);
    await store.commit([listing("a", said)]);
    expect(await keysOf(house, "texasAlone")).toEqual(["a"]);
  });

  test("those of one caller tell nothing of a listing that only another sees move", async () => {
    await store.commit([listing("a", { Placekey: house }), listing("b", { Placekey: house }, hillcountry)]);
    const before = [await get(house, "hillcountryAlone"), await get(tower, "hillcountryAlone")];
    await store.commit([listing("a", { Placekey: tower })]);
    const after = [await get(house, "hillcountryAlone"), await get(tower, "hillcountryAlone")];
    expect(after.map(saying)).toEqual(before.map(saying));
    expect(await keysOf(tower)).toEqual(["a"]);
  });

  test("a provisional id that two datasets share shows each caller its own listings", async () => {
    const [one, other] = [listing("a"), listing("b", {}, hillcountry)];
    await store.commit([one, other]);
    expect(provisional(one)).toBe(provisional(other));
    expect([await keysOf(provisional(one)), await keysOf(provisional(one), "hillcountryAlone")]).toEqual([
      ["a", "b"],
      ["b"],
    ]);
  });
});
