import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { whereOfCell } from "@cadastre/reso";
import { sampleSystems } from "@cadastre/sample/catalog";
import { latLngToCell } from "h3-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import type { GateResult } from "../src/gates/gate.ts";
import { ask, query, toCollection, toEntity } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { type Running, run } from "./support/running.ts";
import { house, listing, lonestar, provisional } from "./v1/property-service.ts";

/** A listing in Seattle; the house is in Austin. */
const evergreen = sampleSystems[2];
const seattle = {
  Latitude: 47.6205,
  Longitude: -122.3493,
  City: "Seattle",
  StateOrProvince: "WA",
  CountyOrParish: "King",
  PostalCode: "98109",
};
const seattleWhere = whereOfCell(latLngToCell(seattle.Latitude, seattle.Longitude, 10));

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
});
afterAll(() => running.stop());

const tell = (...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: running.folder.path } });
const get = (target: string) =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key("national") });

let files = 0;
async function ingest(source: string, ...records: readonly object[]) {
  const file = join(running.folder.path, `places-${++files}.jsonl`);
  await writeFile(file, records.map((record) => JSON.stringify(record)).join("\n"));
  const { code, stdout, stderr } = await tell(
    "ingest",
    "--resource",
    "Property",
    "--source",
    source,
    file,
    "--json",
  );
  // The first one ends the sample.
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^(?:\S+ holds sample listings, [^\n]*)?$/)]);
  const told = (await readFile(`${file}.rejects.jsonl`, "utf8")).split("\n").filter((line) => line !== "");
  return {
    report: JSON.parse(stdout) as Readonly<Record<string, unknown>>,
    told: told.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
  };
}
const tried = async (command: string) => {
  const { code, stdout } = await tell(command, "Property", "--json");
  const { gates } = JSON.parse(stdout) as { gates: Record<string, readonly GateResult[]> };
  const found = gates["Property"]?.find(({ gate }) => gate === "listing_places");
  return { code, evidence: found?.evidence };
};
const publish = () => tried("publish");

const propertyOf = async (id: string) => {
  const { status, text } = await get(`/v1/properties/${encodeURIComponent(id)}`);
  return status === 200 ? (JSON.parse(text) as { data: object }).data : status;
};
const found = async (placekey: string) =>
  toCollection(await get(`/reso/odata/Property${query({ placekey, $select: "ListingKey" })}`)).value;

test("a listing in Seattle with a Texan Placekey leaves the Texan property as it is", async () => {
  await ingest(lonestar.id, listing("austin", { Placekey: house }).record);
  expect((await publish()).code).toBe(0);
  const before = await propertyOf(house);
  expect(before).toMatchObject({ id: house, attributes: { listing_keys: ["austin"] } });

  const later = { ...seattle, Placekey: house, ModificationTimestamp: "2026-01-01T00:00:00.000Z" };
  const stranger = listing("stranger", later, evergreen);
  const { report, told } = await ingest(evergreen.id, stranger.record);
  expect(report).toMatchObject({ staged: 1, rejected: 0 });
  expect(report["noted"]).toEqual({ placekey_far_from_coordinates: { Placekey: 1 } });
  expect(told).toEqual([
    {
      line: 1,
      field: "Placekey",
      note: "placekey_far_from_coordinates",
      count: 1,
      reason: expect.stringMatching(/1 km/) as string,
    },
  ]);
  expect(await publish()).toMatchObject({ code: 0, evidence: { far_placekeys: 0, outside_state: 0 } });

  expect(await propertyOf(house)).toEqual(before);
  expect(await found(house)).toMatchObject([{ ListingKey: "austin" }]);
  expect(toEntity(await get("/reso/odata/Property('stranger')"))["Placekey"]).toBeNull();
  expect(await propertyOf(provisional(stranger))).toMatchObject({
    id: provisional(stranger),
    attributes: { listing_keys: ["stranger"] },
  });
});

describe("a Placekey without coordinates", () => {
  const nowhere = { Latitude: null, Longitude: null };

  test("is taken if its hexagon lies in the listing's state, or a state of the system", async () => {
    const own = { ...seattle, ...nowhere, Placekey: `223-223@${seattleWhere}` };
    const unnamed = { ...own, StateOrProvince: null, Placekey: `224-224@${seattleWhere}` };
    const { report } = await ingest(
      evergreen.id,
      listing("placeless", own, evergreen).record,
      listing("stateless", unnamed, evergreen).record,
    );
    expect(report).toMatchObject({ staged: 2, noted: {} });
    expect((await publish()).code).toBe(0);
    expect(await found(own.Placekey)).toMatchObject([{ ListingKey: "placeless" }]);
    expect(await found(unnamed.Placekey)).toMatchObject([{ ListingKey: "stateless" }]);
  });

  test("is not, and told, if it lies in another one", async () => {
    const other = { ...seattle, ...nowhere, Placekey: house };
    const { told } = await ingest(evergreen.id, listing("lost", other, evergreen).record);
    expect(told).toMatchObject([{ field: "Placekey", note: "placekey_outside_state" }]);
    expect((await publish()).code).toBe(0);
    expect(toEntity(await get("/reso/odata/Property('lost')"))["Placekey"]).toBeNull();
  });
});

test("what the operator's crosswalk says of a listing counts, and is told", async () => {
  const crosswalk = join(running.folder.path, "crosswalk.csv");
  await writeFile(crosswalk, `ListingKey,Placekey\nassigned,${house}\n`);
  expect((await tell("identity", "crosswalk", crosswalk, "--source", evergreen.id)).code).toBe(0);
  const { report, told } = await ingest(evergreen.id, listing("assigned", seattle, evergreen).record);
  expect(report).toMatchObject({
    staged: 1,
    noted: { assigned_placekey_far_from_coordinates: { Placekey: 1 } },
  });
  expect(told).toMatchObject([{ field: "Placekey", note: "assigned_placekey_far_from_coordinates" }]);
  expect(await publish()).toMatchObject({ code: 0, evidence: { far_placekeys: 0, assigned: 1 } });
  expect(await found(house)).toHaveLength(2);
});

test("coordinates outside the state are rejected", async () => {
  const { report, told } = await ingest(
    evergreen.id,
    listing("texan", { ...seattle, StateOrProvince: "TX" }, evergreen).record,
    listing("gulf", { ...seattle, Latitude: 0, Longitude: 0 }, evergreen).record,
    listing("unsigned", { ...seattle, StateOrProvince: null, Longitude: 122.3493 }, evergreen).record,
    listing("right", { ...seattle, StateOrProvince: null }, evergreen).record,
    listing("canadian", { ...seattle, StateOrProvince: "BC" }, evergreen).record,
  );
  expect(report).toMatchObject({ staged: 2, rejected: 3 });
  expect(told.map(({ line, field, code }) => [line, field, code])).toEqual(
    [1, 2, 3].map((line) => [line, "Latitude", "coordinates_outside_state"]),
  );
  expect((await publish()).code).toBe(0);
});

test("what was stored before is told, and stops no publication; what is staged around the checks does", async () => {
  const bad = listing("stored", { ...seattle, Placekey: house, StateOrProvince: "TX" }, evergreen);
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  await store.commit([{ ...bad, source: evergreen.id }]);
  const stored = { far_placekeys: 1, outside_state: 1, keys: ["stored"] };
  const none = { far_placekeys: 0, outside_state: 0, keys: [] };
  expect(await tried("gates")).toMatchObject({ code: 0, evidence: { ...none, stored_before: stored } });
  // Of this publication each listing would be read once more: the build that is served was judged so.
  expect(await tried("publish")).toMatchObject({ code: 0, evidence: { ...none, stored_before: null } });
  const changed = { ...bad, record: { ...bad.record, ListPrice: 1 } };
  await store.builds.stage("Property", evergreen.id, [changed], { cursor: "around" });
  await store.close();
  expect(await tried("publish")).toMatchObject({ code: 1, evidence: { ...stored, stored_before: null } });
  expect(await tried("gates")).toMatchObject({ code: 1, evidence: { ...stored, stored_before: none } });
});
