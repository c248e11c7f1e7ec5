import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { openConfiguredFolder } from "../src/data/data-folder.ts";
import type { RunningService } from "../src/running-service.ts";
import { startService } from "../src/service.ts";
import { ask } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { createOwnIssuer } from "./support/own-issuer.ts";

let folder: string;
let environment: Readonly<Record<string, string>>;
let service: RunningService | undefined;
let apiKey: string;

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout + stderr;
}

async function refused(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await cadastre(args, { environment });
  expect([args, code]).toEqual([args, 1]);
  return stderr;
}

/** Ingests and publishes a listing, and returns what was rejected. */
async function load(key: string, further: object = { FireplacesTotal: 2 }): Promise<string> {
  const [file, rejects] = [join(folder, `${key}.jsonl`), join(folder, `${key}.rejects.jsonl`)];
  const record = {
    ListingKey: key,
    OriginatingSystemName: "North Shore MLS",
    ModificationTimestamp: "2026-01-15T08:30:00Z",
    StateOrProvince: "IL",
    StandardStatus: "Active",
    ...further,
  };
  await writeFile(file, JSON.stringify(record));
  await command("ingest", "--resource", "Property", "--source", "northshore", file, "--rejects", rejects);
  await command("publish", "Property");
  return readFile(rejects, "utf8").catch(() => "");
}

const get = async (target: string): Promise<string> =>
  (await ask(service?.baseUrl ?? "", target, { "x-api-key": apiKey })).text;

type Listed = { readonly resource: string; readonly name: string; readonly served: boolean };

/** Standard fields that the catalog of the tests leaves out. */
const leftOut = ["FireplacesTotal", "HorseAmenities", "SpaYN"];

const listed = async () =>
  JSON.parse(await command("field", "list", "--standard", "--json")) as readonly Listed[];

/** Installs an entitlement to all fields of the system, and returns a key for it. */
async function letIn(): Promise<string> {
  const [system] = JSON.parse(await command("system", "list", "--json")) as readonly { datasetId: string }[];
  const document = {
    iss: "https://issuer.example",
    aud: "cadastre",
    sub: "acme",
    ver: 1,
    products: ["listing"],
    channels: { api: true, odata: true, file_delivery: true },
    regions: [{ kind: "national", value: "US" }],
    datasets: [{ dataset_id: system?.datasetId, resources: { Property: { fields: "*" } } }],
  };
  const [given, signed] = [join(folder, "acme.json"), join(folder, "acme.jws")];
  await writeFile(given, JSON.stringify(document));
  const sign = ["--key", join(folder, "key.json"), "--days", "30", "--out", signed];
  await command("entitlement", "sign", given, ...sign);
  await command("entitlement", "install", signed);
  const { code, stdout } = await cadastre(["key", "create", "acme", "--json"], { environment });
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { apiKey: string }).apiKey;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-standard-"));
  environment = {
    ...(await createOwnIssuer(folder)),
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_CHECK_HOURS: "0",
    PORT: "0",
  };
  await command("sample", "--listings", "0");
  await command("system", "add", "northshore", "--name", "North Shore MLS", "--states", "IL");
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("standard fields", () => {
  test("are all served, unless the catalog leaves some out", async () => {
    expect((await listed()).every(({ served }) => served)).toBe(true);
    expect(await command("field", "enable", "Property", "PoolFeatures")).toContain(
      "Property serves PoolFeatures already. Nothing was changed.",
    );
    const table = await command("field", "list", "--standard");
    expect(table).toMatch(/^Property +FireplacesTotal +Edm\.Int64 +Fireplaces Total +served$/m);
  });

  test("that the catalog leaves out are enabled while the service runs", async () => {
    expect(await load("NS-1")).toBe("");
    const file = join(folder, "catalog.json");
    const { systems } = JSON.parse(await command("system", "export")) as { systems: unknown };
    const kept = (await listed())
      .filter(({ resource, name }) => resource === "Property" && !leftOut.includes(name))
      .map(({ name }) => name);
    await writeFile(file, JSON.stringify({ systems, standardFields: { Property: kept } }));
    await command("system", "import", file);
    const off = (await listed()).filter(({ served }) => !served);
    expect(off.map(({ resource, name }) => `${resource}/${name}`).sort()).toEqual(
      leftOut.map((name) => `Property/${name}`),
    );
    expect(await load("NS-2")).toContain('"field":"FireplacesTotal","code":"unknown_field"');

    const config = readConfig(environment);
    service = await startService(config, await openConfiguredFolder(config), pino({ level: "silent" }));
    apiKey = await letIn();
    expect(await get("/reso/odata/$metadata")).not.toContain("FireplacesTotal");

    const told = await command("field", "enable", "Property", "FireplacesTotal", "SpaYN");
    expect(told).toContain("Property serves FireplacesTotal, SpaYN.");
    await expect.poll(() => get("/reso/odata/$metadata"), { timeout: 20_000 }).toContain("FireplacesTotal");
    expect((await listed()).filter(({ served }) => !served).map(({ name }) => name)).toEqual([
      "HorseAmenities",
    ]);
    expect(await load("NS-3")).toBe("");
  });

  test.each<[readonly string[], RegExp]>([
    [
      ["Property", "PoolFeaturs"],
      /Property has no standard field `PoolFeaturs`: did you mean `PoolFeatures`\?/,
    ],
    [["Property", "pool_features"], /did you mean `PoolFeatures`\?/],
    [["Property", "Qwertyuiop"], /`cadastre field list --standard` lists them/],
    [["Office", "ListPrice", "OfficeNam"], /no standard field `ListPrice`.*\n.*did you mean `OfficeName`/],
  ])("%j is refused, and nothing is changed", async (args, reason) => {
    const before = await command("system", "export");
    expect(await refused("field", "enable", ...args)).toMatch(reason);
    expect(await command("system", "export")).toBe(before);
  });

  test.each([[[]], [["northshore", "--standard"]]])("`field list` of %j says what to give", async (args) => {
    expect(await refused("field", "list", ...args)).toContain("give either a system");
  });

  test("that a file leaves out take the values of their lookups along, and come back with them", async () => {
    const [before, fewer] = [join(folder, "all.json"), join(folder, "fewer.json")];
    await command("system", "export", "--out", before);
    const definition = JSON.parse(await readFile(before, "utf8")) as object;
    const Property = ["ListingKey", "ListPrice", "StandardStatus", "ModificationTimestamp"];
    const kept = [...Property, "OriginatingSystemName", "StateOrProvince"];
    await writeFile(fewer, JSON.stringify({ ...definition, standardFields: { Property: kept } }));
    const values = async () =>
      (JSON.parse(await command("builds", "Lookup", "--json")) as readonly { records: number }[])[0]
        ?.records ?? 0;
    const all = await values();
    const told = await command("system", "import", fewer);
    expect(told).toMatch(/\d values of lookups were removed\. This is version/);
    // More than the gate on shrinkage would let pass.
    expect(await values()).toBeLessThan(all / 2);
    expect(await command("gates", "Lookup")).not.toContain("failed");
    expect(await command("system", "import", before)).toMatch(/\d values of lookups were published\./);
    expect(await values()).toBe(all);
  });

  test("that are left out are told when a system is learnt", async () => {
    const file = join(folder, "sample.csv");
    await writeFile(file, "PoolFeatures,HorseAmenities\nHeated,Barn\n");
    const told = await command("system", "learn", "northshore", "--sample", file, "--resource", "Property");
    expect(told).toContain(
      "! Property/HorseAmenities: it is a standard field that is switched off: `cadastre field enable Property HorseAmenities` serves it",
    );
  });

  test("of a later dictionary are served while the service runs", async () => {
    const file = join(folder, "dd-2.1.json");
    const field = { resourceName: "Property", type: "Edm.Int64", annotations: [] };
    const report = {
      version: "2.1",
      fields: [{ ...field, fieldName: "RoofYear" }],
      lookups: [{ lookupName: "x.Appliances", lookupValue: "SteamOven", annotations: [] }],
    };
    await writeFile(file, JSON.stringify(report));
    const differences = "+ field Property/RoofYear: Edm.Int64\n+ lookup Appliances: 1 value";
    expect(await command("dictionary", "import", file, "--dry-run")).toContain(differences);
    expect(JSON.parse(await command("dictionary", "show", "--json"))).toMatchObject({ version: "2.0" });

    const told = await command("dictionary", "import", file);
    expect(told).toContain("Version 2.1 of the dictionary is followed, with 1 new field.");
    expect(told).toContain("`cadastre field enable Property <field>` adds new ones");
    expect(await command("dictionary", "show")).toContain(`RESO Data Dictionary 2.1\n${differences}`);
    await command("field", "enable", "Property", "RoofYear");
    await expect.poll(() => get("/reso/odata/$metadata"), { timeout: 20_000 }).toContain("RoofYear");
    expect(await load("NS-4", { RoofYear: 1999, Appliances: ["SteamOven"] })).toBe("");
    await expect
      .poll(() => get("/reso/odata/Property?$filter=RoofYear%20eq%201999&$select=ListingKey,Appliances"), {
        timeout: 20_000,
      })
      .toContain('[{"Appliances":["SteamOven"],"ListingKey":"NS-4"}]');

    await writeFile(file, JSON.stringify({ ...report, fields: [{ ...field, fieldName: "City" }] }));
    expect(await refused("dictionary", "import", file)).toContain(
      "`Property/City` is Edm.String in version 2.0",
    );
  });
});
