import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sampleSystems } from "@cadastre/sample/catalog";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { openConfiguredFolder } from "../src/data/data-folder.ts";
import type { RunningService } from "../src/running-service.ts";
import { startService } from "../src/service.ts";
import { ask, toCollection } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { createOwnIssuer } from "./support/own-issuer.ts";

let path: string;
let environment: Readonly<Record<string, string>>;
let service: RunningService;
const apiKeys: Record<string, string> = {};

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout + stderr;
}

async function refused(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await cadastre(args, { environment });
  expect([args, [1, 2].includes(code ?? 0)]).toEqual([args, true]);
  return stderr;
}

/** Writes records as CSV and ingests them. */
async function load(resource: string, source: string, rows: readonly Readonly<Record<string, string>>[]) {
  const file = join(path, `${resource}.csv`);
  const columns = Object.keys(rows[0] ?? {});
  const quoted = (cell = "") => `"${cell.replaceAll('"', '""')}"`;
  const lines = rows.map((row) => columns.map((name) => quoted(row[name])).join());
  await writeFile(file, [columns.join(), ...lines].join("\n"));
  const rejects = join(path, "rejects.jsonl");
  const told = await command(
    "ingest",
    "--resource",
    resource,
    "--source",
    source,
    file,
    "--rejects",
    rejects,
  );
  await command("publish", resource);
  return { told, rejects: await readFile(rejects, "utf8").catch(() => "") };
}

/** Signs and installs an entitlement to all of a system, and issues a key for it. */
async function letIn(customer: string, system: string): Promise<void> {
  const systems = JSON.parse(await command("system", "list", "--json")) as readonly {
    readonly id: string;
    readonly datasetId: string;
  }[];
  const granted = systems.find(({ id }) => id === system);
  const all = { fields: "*" };
  const document = {
    iss: "https://issuer.example",
    aud: "cadastre",
    sub: customer,
    ver: 1,
    products: ["listing"],
    channels: { api: true, odata: true, file_delivery: true },
    regions: [{ kind: "national", value: "US" }],
    datasets: [{ dataset_id: granted?.datasetId, resources: { Property: all, Lookup: all } }],
  };
  const [given, signed] = [join(path, `${customer}.json`), join(path, `${customer}.jws`)];
  await writeFile(given, JSON.stringify(document));
  await command(
    "entitlement",
    "sign",
    given,
    "--key",
    join(path, "key.json"),
    "--days",
    "30",
    "--out",
    signed,
  );
  await command("entitlement", "install", signed);
  const { apiKey } = JSON.parse(await command("key", "create", customer, "--json")) as { apiKey: string };
  apiKeys[customer] = apiKey;
}

const get = (customer: string, target: string) =>
  ask(service.baseUrl, target, { "x-api-key": apiKeys[customer] ?? "" });

const listing = (key: string, more: Readonly<Record<string, string>> = {}) => ({
  ListingKey: key,
  OriginatingSystemName: "North Shore MLS",
  ModificationTimestamp: "2026-01-15T08:30:00Z",
  StandardStatus: "Active",
  StateOrProvince: "IL",
  ListPrice: "350000",
  ...more,
});

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), "cadastre-own-"));
  environment = {
    ...(await createOwnIssuer(path)),
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_CHECK_HOURS: "0",
    PORT: "0",
  };
  await command("sample", "--listings", "0");
  await command(
    "system",
    "add",
    "northshore",
    "--name",
    "North Shore MLS",
    "--states",
    "IL,WI",
    "--prefix",
    "NSM_",
  );
  await command(
    "field",
    "add",
    "northshore",
    "NSM_DockLength",
    "--type",
    "decimal",
    "--precision",
    "7",
    "--scale",
    "2",
  );
  await command(
    "field",
    "add",
    "northshore",
    "NSM_Zoning",
    "--type",
    "string",
    "--lookup",
    "NSM_Zoning",
    "--value",
    "Mixed Use",
    "--value",
    "Residential",
  );
  const rows = Array.from({ length: 40 }, (_, i) =>
    listing(`NS${i}`, { NSM_DockLength: i === 7 ? "12.5" : "", NSM_Zoning: i % 2 === 0 ? "Mixed Use" : "" }),
  );
  expect((await load("Property", "northshore", rows)).told).toContain("staged 40 changes");
  await letIn("acme", "northshore");
  const config = readConfig(environment);
  service = await startService(config, await openConfiguredFolder(config), pino({ level: "silent" }));
}, 120_000);
afterAll(async () => {
  await service?.stop();
  await rm(path, { recursive: true, force: true });
});

describe("an own market", () => {
  test("is served with its local fields and lookups, and has nothing that is invented", async () => {
    const found = toCollection(
      await get(
        "acme",
        "/reso/odata/Property?$filter=NSM_DockLength%20gt%2012&$select=ListingKey,NSM_DockLength",
      ),
    );
    expect(found.value).toEqual([{ ListingKey: "NS7", NSM_DockLength: 12.5 }]);
    const mixed = toCollection(
      await get("acme", "/reso/odata/Property?$filter=NSM_Zoning%20eq%20'Mixed%20Use'&$top=0&$count=true"),
    );
    expect(mixed["@odata.count"]).toBe(20);
    const values = toCollection(
      await get(
        "acme",
        "/reso/odata/Lookup?$filter=LookupName%20eq%20'NSM_Zoning'&$orderby=LookupKey&$select=LookupValue",
      ),
    );
    expect(values.value.map(({ LookupValue }) => LookupValue)).toEqual(["Mixed Use", "Residential"]);
    const { text } = await get("acme", "/reso/odata/$metadata");
    expect(text).toContain('Name="NSM_DockLength" Type="Edm.Decimal" Precision="7" Scale="2"');
    const account = (await get("acme", "/v1/account/resources")).text;
    const listed = await command("system", "list");
    for (const { id, name, prefix } of sampleSystems)
      for (const said of [text, account, listed])
        for (const word of [id, name, prefix]) expect(said).not.toContain(word);
    expect(await refused("key", "list", "demo-national").catch(() => "")).not.toContain("cadastre_");
  });

  test("rejects values that its fields do not allow, and fields that it does not have", async () => {
    const rows = [
      listing("bad-1", { NSM_DockLength: "1.234" }),
      listing("bad-2", { NSM_Zoning: "Industrial" }),
    ].map((row) => ({ NSM_DockLength: "", NSM_Zoning: "", LSM_ArenaType: "", ...row }));
    const { rejects } = await load("Property", "northshore", rows);
    const told = rejects
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { field: string; code: string });
    expect(told.map(({ field, code }) => [field, code])).toEqual([
      ["NSM_DockLength", "too_precise"],
      ["NSM_Zoning", "unknown_lookup_value"],
    ]);
  });

  test.each<[string, readonly string[], string]>([
    [
      "a system that there is",
      ["system", "add", "northshore", "--name", "X", "--states", "IL"],
      "`cadastre system change northshore` changes it",
    ],
    [
      "a system of the same name",
      ["system", "add", "second", "--name", "North Shore MLS", "--states", "IL"],
      "--name: `North Shore MLS` is that of northshore already",
    ],
    [
      "a system with a wrong id",
      ["system", "add", "North", "--name", "N", "--states", "IL"],
      "the id: must be lower-case letters",
    ],
    [
      "a system with a wrong prefix",
      ["system", "add", "second", "--name", "N", "--states", "IL", "--prefix", "x"],
      "--prefix: must be 2 to 10 capital letters",
    ],
    ["a system without a name", ["system", "add", "second", "--states", "IL"], "--name is missing"],
    [
      "a field of a system that there is not",
      ["field", "add", "nobody", "X_Y", "--type", "string"],
      "no system is called `nobody`: there are northshore",
    ],
    [
      "a field of the dictionary",
      ["field", "add", "northshore", "ListPrice", "--type", "decimal"],
      "ListPrice name: `ListPrice`: `ListPrice` is a standard field",
    ],
    [
      "a field of another type",
      ["field", "add", "northshore", "NSM_DockLength", "--type", "string"],
      "must stay Edm.Decimal",
    ],
    [
      "another name while there are records",
      ["system", "change", "northshore", "--name", "N"],
      "--name: must stay `North Shore MLS`, since Property has, or had, records of northshore",
    ],
    [
      "an unknown source",
      ["ingest", "--resource", "Property", "--source", "lonestar", "-"],
      "there is no source `lonestar`. There are northshore, dictionary",
    ],
  ])("refuses %s, and changes nothing", async (_, args, sentence) => {
    const before = await command("system", "export");
    expect(await refused(...args)).toContain(sentence);
    expect(await command("system", "export")).toBe(before);
  });

  test("gets a system and a field while it serves: no request fails, and no byte changes for who does not see them", async () => {
    const targets = [
      "/reso/odata/$metadata",
      "/reso/odata/Property?$orderby=ListingKey",
      "/reso/odata/Property('NS7')",
      "/v1/account/resources",
    ];
    const answers = () => Promise.all(targets.map(async (target) => (await get("acme", target)).text));
    const before = await answers();
    let isOver = false;
    const seen: number[] = [];
    const load_ = (async () => {
      while (!isOver) {
        const { status } = await get("acme", targets[seen.length % targets.length] ?? "");
        seen.push(status);
      }
    })();
    await command("system", "add", "lakeside", "--name", "Lakeside MLS", "--states", "WI");
    await command("field", "add", "lakeside", "LAKESIDE_Pier", "--type", "boolean", "--resource", "Property");
    await load("Property", "lakeside", [
      {
        ...listing("LS1", { StateOrProvince: "WI" }),
        OriginatingSystemName: "Lakeside MLS",
        LAKESIDE_Pier: "true",
      },
    ]);
    await letIn("other", "lakeside");
    const found = async () => {
      const { status, text } = await get(
        "other",
        "/reso/odata/Property?$filter=LAKESIDE_Pier%20eq%20true&$select=ListingKey",
      );
      return status === 200 ? (JSON.parse(text) as { value: unknown }).value : status;
    };
    await expect.poll(found, { timeout: 20_000 }).toEqual([{ ListingKey: "LS1" }]);
    isOver = true;
    await load_;
    expect(new Set(seen)).toEqual(new Set([200]));
    expect(await answers()).toEqual(before);
    expect((await get("acme", "/reso/odata/Property?$filter=LAKESIDE_Pier%20eq%20true")).text).toContain(
      "unknown_property",
    );
    expect((await get("other", "/reso/odata/$metadata")).text).not.toContain("NSM_DockLength");
  });

  test("is exported as a file, and takes one back", async () => {
    const file = join(path, "catalog.json");
    await command("system", "export", "--out", file);
    expect(await refused("system", "export", "--out", file)).toContain("exists and was not changed");
    expect(await refused("system", "import", file)).toContain("is the catalog in force");
    const definition = JSON.parse(await readFile(file, "utf8")) as { systems: { contact?: string }[] };
    const [first] = definition.systems;
    if (first !== undefined) first.contact = "data@northshore.example";
    await writeFile(file, JSON.stringify(definition));
    expect(await command("system", "import", file, "--dry-run")).toBe("~ system northshore");
    expect(await command("system", "import", file)).toContain("~ system northshore");
    expect(await command("system", "list", "--json")).toContain("data@northshore.example");
    await writeFile(file, JSON.stringify({ systems: definition.systems.slice(1) }));
    expect(await refused("system", "import", file)).toContain(
      "northshore is missing: a system is not removed",
    );
  });
});
