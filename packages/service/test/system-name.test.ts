import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cadastre } from "./support/cli.ts";
import { createOwnIssuer } from "./support/own-issuer.ts";

let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cadastre-name-"));
  environment = await createOwnIssuer(folder);
  await command("sample", "--listings", "0");
  for (const id of ["served", "staged", "emptied", "retired", "granted", "unused"])
    await command("system", "add", id, "--name", `${id} MLS`, "--states", "IL");
});
afterAll(() => rm(folder, { recursive: true }));

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cadastre(args, { environment });
  expect([args, code, code === 0 ? "" : stderr]).toEqual([args, 0, ""]);
  return stdout;
}

async function refused(...args: readonly string[]): Promise<string> {
  const { code, stderr } = await cadastre(args, { environment });
  expect([args, code]).toEqual([args, 1]);
  return stderr;
}

async function stage(system: string, ...more: readonly string[]): Promise<void> {
  const file = join(folder, `${system}.jsonl`);
  const record = {
    ListingKey: `${system}-1`,
    OriginatingSystemName: `${system} MLS`,
    ModificationTimestamp: "2026-01-02T03:04:05Z",
    StateOrProvince: "IL",
  };
  await writeFile(file, more.includes("--delete") ? record.ListingKey : JSON.stringify(record));
  await command("ingest", "--resource", "Property", "--source", system, file, ...more);
}

/** Names of the systems in force. */
const names = async () =>
  (JSON.parse(await command("system", "list", "--json")) as { name: string }[]).map((one) => one.name);

/** Imports the catalog with another name of a system. */
async function importRenamed(system: string): Promise<string> {
  const file = join(folder, `renamed-${system}.json`);
  const text = await command("system", "export");
  await writeFile(file, text.replace(`"name": "${system} MLS"`, '"name": "Renamed MLS"'));
  return file;
}

describe("a system keeps its name while records or entitlements have it", () => {
  const cases: Readonly<Record<string, { readonly before: () => Promise<void>; readonly reason: RegExp }>> = {
    served: {
      before: async () => {
        await stage("served");
        await command("publish", "Property");
      },
      reason: /Property has, or had, records of served with this name\. .*profile set served --display-name/,
    },
    staged: { before: () => stage("staged"), reason: /records of staged with this name/ },
    emptied: {
      before: async () => {
        await stage("emptied");
        await command("publish", "Property");
        await stage("emptied", "--delete");
        await command("publish", "Property", "--allow-shrink");
      },
      reason: /constants: \{ OriginatingSystemName: emptied MLS \}/,
    },
    retired: {
      before: async () => {
        await stage("retired");
        await command("publish", "Property");
        await command("system", "retire", "retired", "--yes");
      },
      reason: /retired is retired, and `cadastre system restore retired` brings back its records/,
    },
    granted: {
      before: async () => {
        const systems = JSON.parse(await command("system", "list", "--json")) as {
          id: string;
          datasetId: string;
        }[];
        const dataset_id = systems.find(({ id }) => id === "granted")?.datasetId;
        const document = {
          iss: "https://issuer.example",
          aud: "cadastre",
          sub: "acme",
          ver: 1,
          products: ["listing"],
          channels: { api: true, odata: true, file_delivery: true },
          regions: [{ kind: "originating_system", value: "granted MLS" }],
          datasets: [{ dataset_id, resources: { Property: { fields: "*" } } }],
        };
        const [given, signed] = [join(folder, "acme.json"), join(folder, "acme.jws")];
        await writeFile(given, JSON.stringify(document));
        const sign = ["--key", join(folder, "key.json"), "--days", "30", "--out", signed];
        await command("entitlement", "sign", given, ...sign);
        await command("entitlement", "install", signed);
      },
      reason: /entitlements name it as a region: those of acme\. Install others first/,
    },
  };

  test.each(Object.entries(cases))(
    "%s, by `system change` and by `system import`",
    async (id, { before, reason }) => {
      await before();
      const version = await command("system", "export");
      const changed = await refused("system", "change", id, "--name", "Renamed MLS");
      expect(changed).toMatch(reason);
      expect(changed).toContain(`--name: must stay \`${id} MLS\``);
      const imported = await refused("system", "import", await importRenamed(id));
      expect(imported).toMatch(reason);
      expect(imported).toMatch(/renamed-\w+\.json: systems\[\d\]\.name: must stay/);
      expect(await refused("system", "import", await importRenamed(id), "--dry-run")).toBe(imported);
      expect(await command("system", "export")).toBe(version);
    },
  );

  test("another system is renamed, and takes records of its new name", async () => {
    await command("system", "change", "unused", "--name", "Renamed MLS");
    expect(await names()).toContain("Renamed MLS");
    const file = join(folder, "unused.csv");
    await writeFile(
      file,
      "ListingKey,OriginatingSystemName,ModificationTimestamp,StateOrProvince\nU1,Renamed MLS,2026-01-02T03:04:05Z,IL\nU2,unused MLS,2026-01-02T03:04:05Z,IL",
    );
    const rejects = join(folder, "rejects.jsonl");
    await command("ingest", "--resource", "Property", "--source", "unused", file, "--rejects", rejects);
    expect(await readFile(rejects, "utf8")).toMatch(
      /^\{"line":3,"key":"U2","field":"OriginatingSystemName","value":"unused MLS","code":"wrong_system"/,
    );
  });
});
