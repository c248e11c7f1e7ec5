import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resourceNames } from "@cadastre/reso";
import { sampleSystems } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { GateResult } from "../src/gates/gate.ts";
import { gates } from "../src/gates/gates.ts";
import { ask, toCollection } from "./support/ask.ts";
import { removalsOf } from "./support/removals.ts";
import { type Running, run } from "./support/running.ts";
import { columnNames, createTrigger, runSql } from "./support/sql.ts";
import { withDatabase } from "./support/test-database.ts";

/*
 * Every gate, broken: by what an operator can ingest where that can do it, else by a fault in the database or in the
 * policies. `cadastre gates` and `cadastre publish` run here as in a process of their own, with modules of their own.
 */

const [{ id: source, name: systemName, prefix }] = sampleSystems;
/** Its market is another one. */
const farName = sampleSystems.at(-1)?.name ?? "";
let running: Running;
let files: string;
beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), "cadastre-gates-"));
  running = await run({ CADASTRE_LISTINGS: "100" });
  const environment = withDatabase({ CADASTRE_DATA: running.folder.path });
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(files, { recursive: true });
  await running.stop();
});

const get = (target: string) =>
  ask(running.service.baseUrl, `/reso/odata${target}`, { "x-api-key": running.key("national") });

/** Carry out a command line, and give what it writes. */
async function cadastre(...args: readonly string[]) {
  const { runOperatorProgram } = await import("../src/cli/program.ts");
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      texts[stream] += String(text);
      return true;
    }),
  );
  try {
    return { code: await runOperatorProgram(args), ...texts };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs a statement in the listings. */
const listingsSql = (statement: string, ...values: readonly unknown[]) =>
  runSql(running.folder, "listings", statement, ...values);

async function withStore(work: (store: WritableStore) => Promise<unknown>): Promise<void> {
  const { databasesOf } = await import("../src/data/databases.ts");
  const store = await databasesOf(running.folder).openListings({ threads: 0 });
  await work(store);
  await store.close();
}

const isEntitySet = (resource: string) => resourceNames.some((name) => name === resource);

/** The first records of a set, and how many there are; that there is no such set, for what exports alone hold. */
async function servedOf(set: string) {
  const reply = await get(`/${set}?$count=true&$top=100`);
  if (!isEntitySet(set)) return reply.status;
  const { value, "@odata.count": count } = toCollection(reply);
  return { value, count };
}

const broken = new Set<string>();

/** The gate fails, others of the set may too; nothing is published, and what was served is served. */
async function expectBroken(set: string, gate: string, evidence: object): Promise<void> {
  const listed = (await cadastre("builds", set, "--json")).stdout;
  const served = await servedOf(set);
  for (const command of ["gates", "publish"]) {
    const { code, stdout, stderr } = await cadastre(command, set, "--json");
    const { message } = JSON.parse(stderr) as { readonly message: string };
    expect([code, message.split("\n")[0]], stdout).toEqual([
      1,
      `${set}: a gate is not passed, and what was served before is served on`,
    ]);
    const told = JSON.parse(stdout) as {
      readonly builds: unknown;
      readonly gates: Record<string, GateResult[]>;
    };
    expect(told.builds).toEqual([]);
    const found = told.gates[set]?.find((result) => result.gate === gate);
    expect(found).toMatchObject({ passed: false, evidence });
    const table = (await cadastre(command, set)).stdout.split("\n");
    expect(table.find((line) => line.startsWith(`${set} `) && line.includes(` ${gate} `))).toMatch(
      / failed /,
    );
  }
  expect((await cadastre("builds", set, "--json")).stdout).toBe(listed);
  expect(await servedOf(set)).toEqual(served);
  if (isEntitySet(set)) expect(toCollection(await get("")).value.map(({ name }) => name)).toContain(set);
  broken.add(gate);
}

const put = async (set: string, text: string, ...more: readonly string[]) => {
  const file = join(files, `${set}.jsonl`);
  await writeFile(file, text);
  const { code, stdout } = await cadastre(
    "ingest",
    "--resource",
    set,
    "--source",
    source,
    file,
    "--json",
    ...more,
  );
  expect([code, stdout]).toEqual([0, expect.stringContaining('"rejected":0')]);
};
const discard = async (set: string) => {
  await listingsSql(`delete from "${set}_staged"`);
  await listingsSql(`update "cadastre_source" set "cursor" = "served" where "resource" = ?`, set);
};

describe("what is ingested breaks", () => {
  test("lookup_identity: a value that its dataset has already", async () => {
    const { LookupKey, ...row } =
      toCollection(
        await get(`/Lookup?$filter=LookupName eq 'City'&$top=1000`.replaceAll(" ", "%20")),
      ).value.find((one) => String(one["LookupKey"]).startsWith(prefix)) ?? {};
    const legacy = `${String(row["LegacyODataValue"])}2`;
    const key = `${prefix}City-${legacy}`;
    await put("Lookup", JSON.stringify({ LookupKey: key, ...row, LegacyODataValue: legacy }));
    const examples = [String(LookupKey), key];
    await expectBroken("Lookup", "lookup_identity", { collisions: 1, strangers: 0, examples });
    await discard("Lookup");
  });

  test("lookup_identity: a key that is another dataset's", async () => {
    const row = { LookupName: "City", LookupValue: "Nowhere", LegacyODataValue: "Nowhere" };
    const ModificationTimestamp = "2024-07-01T00:00:00.000Z";
    await put("Lookup", JSON.stringify({ LookupKey: "EVG_City-Nowhere", ...row, ModificationTimestamp }));
    await expectBroken("Lookup", "lookup_identity", { collisions: 0, strangers: 1 });
    await discard("Lookup");
  });

  describe("parcel_identity", () => {
    /** A record of a system with a Placekey, as it is served. */
    const recordOf = async (system: string): Promise<Record<string, unknown>> => {
      const rows = await listingsSql(
        `select cast("cadastre_record" as text) as record from "PublicRecord" order by "PublicRecordKey"`,
      );
      const records = rows.map(({ record }) => JSON.parse(String(record)) as Record<string, unknown>);
      const found = records.find(
        ({ OriginatingSystemName: name, Placekey }) => name === system && typeof Placekey === "string",
      );
      return found ?? expect.unreachable();
    };
    const none = { malformed: 0, repeated: 0, misplaced: 0, contradicted: 0 };
    const another = { PublicRecordKey: "another", ParcelNumber: "another" };

    test.each<[string, object, (own: Record<string, unknown>) => object | Promise<object>]>([
      ["a county that is none", { malformed: 1 }, () => ({ ...another, CountyFips: "4845x" })],
      ["no number", { malformed: 1 }, () => ({ ...another, ParcelNumber: " " })],
      ["a parcel twice", { repeated: 1 }, () => ({ PublicRecordKey: "zzz" })],
      [
        "a Placekey that lies elsewhere",
        { misplaced: 1 },
        ({ Latitude }) => ({ ...another, Latitude: Number(Latitude) + 0.02 }),
      ],
      ["a Placekey of no place", { misplaced: 1 }, () => ({ ...another, Latitude: null })],
      [
        "a parcel that another system calls otherwise",
        { contradicted: 1 },
        async () => {
          const { CountyFips, ParcelNumber, Placekey, Latitude, Longitude } = await recordOf(farName);
          const other = `zzz-zzz${String(Placekey).slice(String(Placekey).indexOf("@"))}`;
          return { PublicRecordKey: "zzz", CountyFips, ParcelNumber, Latitude, Longitude, Placekey: other };
        },
      ],
    ])("%s", async (_, evidence, changed) => {
      const own = await recordOf(systemName);
      await put("PublicRecord", JSON.stringify({ ...own, ...(await changed(own)) }));
      await expectBroken("PublicRecord", "parcel_identity", { ...none, ...evidence });
      await discard("PublicRecord");
    });
  });

  test("shrink: half of the listings of a source are deleted", async () => {
    const filter = encodeURIComponent(`OriginatingSystemName eq '${systemName}'`);
    const listings = toCollection(await get(`/Property?$filter=${filter}&$top=1000`)).value;
    const gone = listings.slice(0, Math.ceil(listings.length / 2)).map((row) => row["ListingKey"]);
    await put("Property", gone.join("\n"), "--delete");
    const sentence = `Property of ${source}: ${gone.length} of ${listings.length} records`;
    const excessive = expect.arrayContaining([expect.stringContaining(sentence)]) as unknown;
    await expectBroken("Property", "shrink", { removed: gone.length, limit: 20, allowed: false, excessive });
    await discard("Property");
  });

  describe("listing_places, around the checks of the ingest", () => {
    /** Stage the first listing as another program would. */
    const stage = async (change: object) => {
      const record = { ...toCollection(await get("/Property?$top=1")).value[0], ...change };
      const { datasetId, id } =
        sampleSystems.find(({ name }) => name === Reflect.get(record, "OriginatingSystemName")) ??
        expect.unreachable();
      const changed = [{ resource: "Property", datasetId, record }];
      await withStore(({ builds }) => builds.stage("Property", id, changed, { cursor: "around" }));
      return String(Reflect.get(record, "ListingKey"));
    };

    test("coordinates outside the state", async () => {
      const key = await stage({ Latitude: 0, Longitude: 0, Placekey: null, Coordinates: null });
      const evidence = { far_placekeys: 0, outside_state: 1, keys: [key] };
      await expectBroken("Property", "listing_places", evidence);
      await discard("Property");
    });

    test("a Placekey that lies elsewhere", async () => {
      const key = await stage({ Placekey: "222-222@5jc-3np-8sy" });
      const evidence = { far_placekeys: 1, outside_state: 0, keys: [key] };
      await expectBroken("Property", "listing_places", evidence);
      await discard("Property");
    });
  });

  test("published_build: nothing is left", async () => {
    const offices = toCollection(await get("/Office?$top=1000")).value;
    for (const { id, name } of sampleSystems) {
      const keys = offices
        .filter((row) => row["OriginatingSystemName"] === name)
        .map((row) => row["OfficeKey"]);
      await put("Office", keys.join("\n"), "--source", id, "--delete");
    }
    // What nobody can be granted no source can delete.
    const served = new Set(offices.map((row) => row["OfficeKey"]));
    const held = (await listingsSql(`select "OfficeKey" from "Office"`)).map((row) =>
      String(row["OfficeKey"]),
    );
    await withStore((store) =>
      store.commit(held.filter((key) => !served.has(key)).flatMap((key) => removalsOf("Office", key))),
    );
    await expectBroken("Office", "published_build", { records: 0 });
    await discard("Office");
  });
});

describe("a fault of the policies breaks", () => {
  /** Let the commands that follow find the policies otherwise. */
  const withPolicies = async (change: (rules: object) => void) => {
    vi.resetModules();
    change((await import("@cadastre/entitlement")).resourceRules);
  };
  afterAll(() => vi.resetModules());

  test.each<[string, string, string | undefined, object]>([
    ["entitlement_policy", "Office", undefined, { rule: null, grantable: false }],
    ["private_media", "Media", "privacy", { policy: null }],
    ["private_media", "MediaAsset", "privacy", { policy: null }],
    ["contact_fields", "Member", "contact", { fields: 0 }],
    ["contact_fields", "Office", "contact", { fields: 0 }],
  ])("%s of %s", async (gate, set, part, evidence) => {
    await withPolicies((rules) => {
      if (part === undefined) Reflect.deleteProperty(rules, set);
      else Reflect.deleteProperty(Reflect.get(rules, set) as object, part);
    });
    await expectBroken(set, gate, evidence);
  });
});

describe("a fault of the database breaks", () => {
  const keyOf = async (set: string, key: string) =>
    String(toCollection(await get(`/${set}?$top=1`)).value[0]?.[key]);

  test("replay: what is staged is not written as it was the last time", async () => {
    const key = await keyOf("Member", "MemberKey");
    // Several, so that not all of them are likely to get the same text twice.
    const rows = [1, 2, 3, 4].map((number) => ({
      MemberKey: `new ${number}`,
      ModificationTimestamp: "2024-07-01T00:00:00.000Z",
      OriginatingSystemName: systemName,
    }));
    await put("Member", rows.map((row) => JSON.stringify(row)).join("\n"));
    const dropTrigger = await createTrigger(running.folder, {
      table: "Member",
      event: "insert",
      body: `update "Member" set ("DatasetId", "cadastre_record", "cadastre_members", "cadastre_crc32") =
          (select "DatasetId", "cadastre_record", "cadastre_members", "cadastre_crc32" from "Member"
            where "MemberKey" not like 'new%' order by random() limit 1)
        where "MemberKey" = new."MemberKey"`,
    });
    expect(key).not.toMatch(/^new/);
    await expectBroken("Member", "replay", {});
    await dropTrigger();
    await discard("Member");
  });

  test("deletion: a record that comes back", async () => {
    const key = String(
      toCollection(await get(`/Office?$top=1000`)).value.find(
        (row) => row["OriginatingSystemName"] === systemName,
      )?.["OfficeKey"],
    );
    await put("Office", key, "--delete");
    const columns = await columnNames(running.folder, "Office");
    const dropTrigger = await createTrigger(running.folder, {
      table: "Office",
      event: "delete",
      body: `insert into "Office" (${columns.join()}) values (${columns.map((name) => `old.${name}`).join()})`,
    });
    await expectBroken("Office", "deletion", { removed: 1, seen: 2 });
    await dropTrigger();
    await discard("Office");
  });

  test("key_uniqueness: a key twice", async () => {
    const row = { OfficeKey: "twice", ModificationTimestamp: "2024-07-01T00:00:00.000Z" };
    await put("Office", JSON.stringify({ ...row, OriginatingSystemName: systemName }));
    const columns = await columnNames(running.folder, "Office");
    const copied = columns.map((name) => (name === `"OfficeKey"` ? "'twice+'" : `new.${name}`));
    const dropTrigger = await createTrigger(running.folder, {
      table: "Office",
      event: "insert",
      when: `new."OfficeKey" = 'twice'`,
      body: `insert into "Office" (${columns.join()}) values (${copied.join()})`,
    });
    await expectBroken("Office", "key_uniqueness", { repeated: 1 });
    await dropTrigger();
    await discard("Office");
  });
});

test("the check of the builds names the dataset that differs from what was published", async () => {
  expect(await cadastre("check", "--builds")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("is as it was published") as unknown,
  });
  const [{ datasetId }] = sampleSystems;
  const offices = await listingsSql(
    `select "OfficeKey" as key, cast("cadastre_record" as text) as record from "Office"`,
  );
  const office = offices.find(({ record }) => String(record).includes(`"${systemName}"`));
  await listingsSql(
    `update "Office" set "cadastre_record" = ? where "OfficeKey" = ?`,
    String(office?.["record"]).replace("{", "{ "),
    office?.["key"],
  );
  const { code, stdout } = await cadastre("check", "--builds", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    [{ code: "build_altered", subject: `Office of ${datasetId}` }],
  ]);
});

test("no gate is left whole", () => {
  expect([...broken].sort()).toEqual(gates.map(({ name }) => name).sort());
});
