import { setTimeout } from "node:timers/promises";
import { resourceNames } from "@cadastre/reso";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { Builds, Change } from "@cadastre/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { databasesOf } from "../src/data/databases.ts";
import type { GateResult } from "../src/gates/gate.ts";
import { gatesOf } from "../src/gates/gates.ts";
import { publishGated } from "../src/gates/publication.ts";
import { takesEffectWithin } from "../src/takes-effect.ts";
import { ask, query, toCollection, toEntity } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { removalsOf } from "./support/removals.ts";
import { type Running, run } from "./support/running.ts";

const { entitySet } = sampleCatalog;

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
});
afterAll(() => running.stop());

const get = (target: string, name = "national") =>
  ask(running.service.baseUrl, `/reso/odata${target}`, { "x-api-key": running.key(name) });
const tell = (...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: running.folder.path } });
const servedSets = async () => toCollection(await get("")).value.map(({ name }) => name);

type Told = {
  readonly builds: readonly { readonly id: string; readonly records: number }[];
  readonly gates: Readonly<Record<string, readonly GateResult[]>>;
};
const told = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Told;

/** Do `work` with the builds, as a process beside the service does. */
async function beside<T>(work: (builds: Builds) => Promise<T>): Promise<T> {
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  try {
    return await work(store.builds);
  } finally {
    await store.close();
  }
}

/** Stage a change, as an ingest does. */
const stage = (resource: string, changes: readonly Change[], cursor: string) =>
  beside((builds) => builds.stage(resource, "test", changes, { cursor }));

/** Waits for what a running service must know. A busy machine may take a while longer. */
async function soon(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + takesEffectWithin + 3000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("not seen in time");
    await setTimeout(100);
  }
}

describe("a set that has not passed its gates", () => {
  test("is absent", async () => {
    expect(await servedSets()).toEqual(["Property", "Media", "Member", "Office", "Lookup"]);
    expect((await get("/$metadata")).text).not.toContain('Name="OpenHouse"');
    for (const address of ["", "/$count", "('x')"])
      expect((await get(`/OpenHouse${address}`)).text).toBe(
        (await get(`/Nope${address}`)).text.replace("Nope", "OpenHouse"),
      );
  });

  test("can be tried, which changes nothing", async () => {
    const { code, stdout, stderr } = await tell("gates", "OpenHouse");
    expect([code, stderr]).toEqual([
      0,
      "OpenHouse is not active: `cadastre publish OpenHouse` activates it.",
    ]);
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(/^SET +GATE +STATE +EVIDENCE$/);
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 3))).toEqual(
      gatesOf(entitySet("OpenHouse")).map(({ name }) => ["OpenHouse", name, "passed"]),
    );
    const machine = told(await tell("gates", "OpenHouse", "--json"));
    expect(machine.builds).toEqual([]);
    expect(machine.gates["OpenHouse"]?.[1]).toMatchObject({
      gate: "key_uniqueness",
      passed: true,
      evidence: { repeated: 0 },
    });
    expect((await tell("builds", "OpenHouse")).stderr).toBe("No builds of OpenHouse.");
  });

  test("is there soon after its publication, without a restart", async () => {
    const { code, stdout } = await tell("publish", "OpenHouse", "--json");
    expect([code, told({ stdout }).builds.length]).toEqual([0, 1]);
    await soon(async () => (await get("/OpenHouse")).status === 200);
    expect(await servedSets()).toEqual(resourceNames);
    expect((await get("/$metadata")).text).toContain('<EntitySet Name="OpenHouse"');
    expect(running.log()).toContain("what is active has changed");
  });
});

describe("a gate that fails", () => {
  const row = {
    LookupKey: "a-stranger",
    LookupName: "StandardStatus",
    LookupValue: "Active",
    LegacyODataValue: "Active",
    ModificationTimestamp: "2024-07-01T00:00:00.000Z",
  };

  test("keeps the build that is served", async () => {
    await stage("Lookup", [{ resource: "Lookup", datasetId: null, record: row }], "1");
    const before = (await tell("builds", "Lookup", "--json")).stdout;
    for (const command of ["gates", "publish"]) {
      const { code, stdout, stderr } = await tell(command, "Lookup", "--json");
      expect([code, JSON.parse(stderr)]).toEqual([
        1,
        {
          error: "command_refused",
          message: "Lookup: a gate is not passed, and what was served before is served on",
        },
      ]);
      const failed = told({ stdout }).gates["Lookup"]?.filter(({ passed }) => !passed);
      expect(failed).toEqual([
        {
          gate: "lookup_identity",
          passed: false,
          evidence: {
            rows: expect.any(Number) as number,
            collisions: 2,
            strangers: 1,
            examples: ["StandardStatus-Active", "a-stranger"],
          },
        },
      ]);
    }
    expect((await tell("builds", "Lookup", "--json")).stdout).toBe(before);
    expect((await get("/Lookup('a-stranger')")).status).toBe(404);
    expect(await servedSets()).toContain("Lookup");
  });

  test("fails no longer once what was staged is put right", async () => {
    await stage("Lookup", [{ resource: "Lookup", datasetId: null, removed: ["a-stranger"] }], "2");
    expect((await tell("publish", "Lookup")).code).toBe(0);
  });
});

describe("a listing that moves", () => {
  const belonging = [
    ["Media", "MediaKey", "ResourceRecordKey"],
    ["OpenHouse", "OpenHouseKey", "ListingKey"],
  ] as const;
  /** Keys of what belongs to the listing, as the key of a customer of one state sees it. */
  const seen = async (listing: string) => {
    const keys = belonging.map(async ([set, key, of]) => {
      const options = query({ $filter: `${of} eq '${listing}'`, $select: key, $orderby: key, $top: 1000 });
      return toCollection(await get(`/${set}${options}`, "state")).value.map((row) => row[key]);
    });
    const listed = await get(`/Property('${listing}')`, "state");
    return { status: listed.status, keys: await Promise.all(keys) };
  };

  test("takes its media and open houses with it, in the same build, and back", async () => {
    const options = query({ $select: "ListingKey", $top: 1000 });
    const listings = toCollection(await get(`/Property${options}`, "state")).value;
    const open = toCollection(await get("/OpenHouse?$top=1000", "state")).value;
    const isOpen = new Set(open.map((row) => row["ListingKey"]));
    const listing = String(listings.map((row) => row["ListingKey"]).find((key) => isOpen.has(key)));
    const before = await seen(listing);
    expect(before.status).toBe(200);
    for (const keys of before.keys) expect(keys.length).toBeGreaterThan(0);

    const market = generateMarket({ seed: 1, listings: 200 });
    const [home] = [...market.listingsWithMedia()].filter(
      ({ property }) => property["ListingKey"] === listing,
    );
    if (home === undefined) throw new RangeError(`no listing ${listing}`);
    const { property, datasetId } = home;
    // The gates hold the place against the state.
    const oklahoma = { StateOrProvince: "OK", Latitude: 35.4676, Longitude: -97.5164, Placekey: null };
    const changes: readonly Change[] = [
      { resource: "Property", datasetId, record: { ...property, ...oklahoma } },
      { resource: "Property", datasetId, removed: [listing] },
    ];
    for (const [i, change] of changes.entries())
      await beside(async (builds) => {
        await builds.stage("Property", "test", [change], { cursor: `move ${i}` });
        const {
          builds: [build],
        } = await publishGated({ builds, catalog: sampleCatalog }, ["Property"]);
        expect(await seen(listing)).toEqual({ status: 404, keys: [[], []] });
        await builds.rollback("Property", build?.previous ?? "");
        expect(await seen(listing)).toEqual(before);
      });
  });
});

describe("a build", () => {
  test("that removes a record is rolled back to the one before", async () => {
    const [office] = toCollection(await get("/Office?$top=1")).value;
    const key = String(office?.["OfficeKey"]);
    await stage("Office", removalsOf("Office", key), "1");
    const { gates } = told(await tell("publish", "Office", "--json"));
    expect(gates["Office"]?.find(({ gate }) => gate === "deletion")?.evidence).toEqual({
      removed: 1,
      seen: 0,
    });
    expect((await get(`/Office('${key}')`)).status).toBe(404);
    expect((await tell("rollback", "Office", "--yes")).code).toBe(0);
    expect(toEntity(await get(`/Office('${key}')`))["OfficeKey"]).toBe(key);
    const { stdout } = await tell("builds", "Office");
    expect(stdout.split("\n")).toHaveLength(4);
    expect(stdout).toContain(`${gatesOf(entitySet("Office")).length} of 7 passed`);
    expect(await servedSets()).toContain("Office");
  });

  test.each([
    [
      ["rollback", "Office", "--to", "nope", "--yes"],
      "there is no build `nope`: `cadastre builds <resource>` lists those of a resource",
    ],
    [["rollback", "Media"], "Media has no build before the one that is served"],
    [["publish", "Teams"], "invalid for argument 'resources'"],
    [["gates"], "missing required argument 'resource'"],
  ])("%j is refused", async (args, sentence) => {
    const { code, stderr } = await tell(...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(sentence);
  });
});
