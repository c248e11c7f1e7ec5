import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog, sampleSystems } from "@cadastre/sample/catalog";
import type { WritableStore } from "@cadastre/store";
import { checkSqlite } from "@cadastre/store/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { storedResources } from "../src/catalog.ts";
import { readConfig } from "../src/config.ts";
import { type DataFolder, openDataFolder } from "../src/data/data-folder.ts";
import { databasesOf } from "../src/data/databases.ts";
import { isSample } from "../src/data/notes.ts";
import { prepareListings } from "../src/data/prepare-listings.ts";
import { withRegistry } from "../src/data/registry.ts";
import { readSecrets } from "../src/data/secrets.ts";
import { prepareDemoAccess } from "../src/demo/demo-access.ts";
import { startService } from "../src/service.ts";
import { startText } from "../src/start-text.ts";
import { ask, query, toCollection } from "./support/ask.ts";
import { cadastre } from "./support/cli.ts";
import { noProgress } from "./support/prepare-demo.ts";
import { addSampleSystems } from "./support/sample-systems.ts";

let folder: DataFolder;
beforeEach(async () => {
  folder = await openDataFolder(await mkdtemp(join(tmpdir(), "cadastre-first-")));
});
afterEach(() => rm(folder.path, { recursive: true }));

const command = (...args: readonly string[]) =>
  cadastre(args, { environment: { CADASTRE_DATA: folder.path } });

const [system] = sampleSystems;
const own = [...generateMarket({ seed: 3, listings: 30 }).rows("Property")].filter(
  ({ datasetId }) => datasetId === system.datasetId,
);
async function ingest() {
  const file = join(folder.path, "own.jsonl");
  await writeFile(file, own.map(({ record }) => JSON.stringify(record)).join("\n"));
  return command("ingest", "--resource", "Property", "--source", system.id, file);
}

async function inStore<T>(work: (store: WritableStore) => Promise<T>): Promise<T> {
  const store = await databasesOf(folder).openListings({ threads: 0 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

test("a start without listings serves none, says how to load some, and serves what is loaded", async () => {
  await prepareListings(folder, 0, noProgress);
  const listed = await command("system", "list");
  expect([listed.code, listed.stdout, listed.stderr]).toEqual([0, "", expect.stringContaining("system add")]);
  await addSampleSystems(folder);
  const secrets = await readSecrets(folder);
  const keys = await withRegistry(folder, (registry) =>
    prepareDemoAccess(folder, registry, secrets, Date.now()),
  );
  const config = readConfig({ PORT: "0", CADASTRE_DATA: folder.path, CADASTRE_LOG_LEVEL: "silent" });
  const service = await startService(config, folder);
  try {
    const get = (target: string) => ask(service.baseUrl, target, { "x-api-key": keys[0]?.apiKey ?? "" });
    expect(toCollection(await get("/reso/odata")).value.map(({ name }) => name)).toEqual(["Lookup"]);
    const ready = async () => {
      const { status, text } = await ask(service.baseUrl, "/health/ready");
      return [status, JSON.parse(text)] as const;
    };
    expect(await ready()).toEqual([503, { status: "not_ready", reasons: ["no_active_build"] }]);
    expect(service.isServing).toBe(false);
    const property = await get("/reso/odata/Property");
    const unknown = (await get("/reso/odata/Nope")).text.replace("Nope", "Property");
    expect([property.status, property.text]).toEqual([404, unknown]);
    expect(startText({ baseUrl: service.baseUrl, keys: [...keys] }, service, folder.demo)).toContain(
      "  cadastre ingest --resource Property",
    );
    for (const hasExternalIssuer of [false, true]) {
      const letIn = startText({ baseUrl: service.baseUrl, keys: [] }, service, folder.demo, {
        hasExternalIssuer,
      });
      expect(/customer add <customer>.*/.exec(letIn)?.[0]).toBe(
        `customer add <customer> --template idx --systems all${hasExternalIssuer ? " --issuer-key <file>" : ""}`,
      );
    }
    expect((await ingest()).stderr).not.toContain("sample");
    expect((await command("publish", "Property")).code).toBe(0);
    await expect
      .poll(async () => toCollection(await get("/reso/odata")).value.map(({ name }) => name), {
        timeout: 20_000,
      })
      .toEqual(["Property", "Lookup"]);
    await expect.poll(ready, { timeout: 20_000 }).toEqual([200, { status: "ready" }]);
    const counted = await get(`/reso/odata/Property${query({ $top: 0, $count: true })}`);
    expect(toCollection(counted)["@odata.count"]).toBe(own.length);
  } finally {
    await service.stop();
  }
});

test("a database without listings is told of, and a number out of bounds is refused by them", async () => {
  const refused = await command("sample", "--listings", "999999999999");
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("It must be a whole number from 0 to 10000000");
  const made = await command("sample", "--listings", "0");
  expect([made.code, made.stderr]).toEqual([0, `Prepared ${folder.database} without listings.`]);
});

test("a sample says so of itself, until something is ingested, and is never made again", async () => {
  expect(await command("sample", "--listings", "20")).toMatchObject({ code: 0, stdout: "" });
  expect(await inStore(isSample)).toBe(true);
  const bytes = await readFile(folder.database);

  const refused = await command("sample", "--listings", "20");
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `${folder.database} exists and was not changed: set CADASTRE_DATA to an empty folder`,
  ]);
  const kept: unknown[] = [];
  await prepareListings(folder, 30, { ...noProgress, kept: (...told) => kept.push(told) });
  expect(kept).toEqual([[20, 30, folder.path]]);
  expect((await readFile(folder.database)).equals(bytes)).toBe(true);

  expect((await ingest()).stderr).toContain("holds sample listings, which stay beside these records");
  expect(await inStore(isSample)).toBe(false);
  kept.length = 0;
  await prepareListings(folder, 30, { ...noProgress, kept: (...told) => kept.push(told) });
  expect(kept).toEqual([]);
});

describe("sample listings are not made in place of a database that is gone", () => {
  test.each([0, 20])("where there is a registry, with CADASTRE_LISTINGS=%i", async (listings) => {
    await withRegistry(folder, async () => {});
    const prepared = prepareListings(folder, listings, noProgress);
    if (listings === 0) await prepared;
    else
      await expect(prepared).rejects.toThrow(
        /is missing: put back a copy of it, or start with CADASTRE_LISTINGS=0/,
      );
  });

  test("where its last changes are still there", async () => {
    await writeFile(`${folder.database}-wal`, "changes");
    await expect(prepareListings(folder, 0, noProgress)).rejects.toThrow(
      /-wal with its last changes is there/,
    );
    expect(await readFile(`${folder.database}-wal`, "utf8")).toBe("changes");
  });
});

test("starts at once, even of one process id, leave one whole database", async () => {
  const first = prepareListings(folder, 600, noProgress);
  const files = () => readdir(folder.path);
  await vi.waitUntil(async () => (await files()).some((name) => name.endsWith(".preparing")), {
    interval: 1,
  });
  expect(await files()).not.toContain(basename(folder.database));
  await Promise.all([first, prepareListings(folder, 20, noProgress)]);
  expect(checkSqlite(folder.database, storedResources(sampleCatalog))).toEqual([]);
  expect((await readdir(folder.path)).filter((name) => name.includes("preparing"))).toEqual([]);
});
