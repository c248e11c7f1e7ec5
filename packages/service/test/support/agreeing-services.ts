import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatasetGrant, Entitlement } from "@cadastre/entitlement";
import { startPostgres } from "@cadastre/odata/testing";
import { type Catalog, localResources } from "@cadastre/reso";
import { pino } from "pino";
import { readConfig } from "../../src/config.ts";
import { changeCatalog } from "../../src/data/change-catalog.ts";
import { type DataFolder, openDataFolder } from "../../src/data/data-folder.ts";
import { databasesOf } from "../../src/data/databases.ts";
import { prepareListings } from "../../src/data/prepare-listings.ts";
import { withRegistry } from "../../src/data/registry.ts";
import { readSecretsOf } from "../../src/data/secrets.ts";
import { prepareDemoAccess } from "../../src/demo/demo-access.ts";
import { publishGated } from "../../src/gates/publication.ts";
import type { RunningService } from "../../src/running-service.ts";
import { startService } from "../../src/service.ts";
import { plantCanaries } from "./canaries.ts";
import { drawnRecords } from "./drawn-records.ts";
import { entitle } from "./entitle.ts";
import { noProgress } from "./prepare-demo.ts";
import { run } from "./running.ts";
import { isRandomCatalog, testCatalog } from "./test-catalog.ts";

const listings = 300;
const settings = { CADASTRE_LISTINGS: String(listings), CADASTRE_WORKER: "false" };

/** A service on SQLite and one on PostgreSQL, with equal catalogs, records, secrets and customers. */
export type AgreeingServices = {
  /** Base URLs, that on SQLite first. */
  readonly baseUrls: readonly string[];
  /** Returns the API key of a demo customer, which is the same in both. */
  readonly key: (customer: string) => string;
  readonly stop: () => Promise<void>;
};

/** Starts services with the sample's catalog and listings, or with the random catalog and drawn records. */
export async function startAgreeing(): Promise<AgreeingServices> {
  const server = await startPostgres();
  const scratch = await mkdtemp(join(tmpdir(), "cadastre-agreement-"));
  const postgres = { url: await server.createDatabase() };
  const folder = await openDataFolder(scratch, postgres);
  const pair = await (isRandomCatalog ? startDrawn(folder) : startSample(folder));
  return {
    ...pair,
    stop: async () => {
      await pair.stop();
      await server.stop();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

async function startSample(folder: DataFolder): Promise<AgreeingServices> {
  const onSqlite = await run(settings);
  await prepareListings(folder, listings, noProgress);
  await copyAccess(onSqlite.folder, folder);
  await plantCanaries(folder, listings);
  const { path: dataFolder, postgres } = folder;
  const onPostgres = await startService({ ...onSqlite.config, dataFolder, postgres }, folder);
  return {
    baseUrls: [onSqlite.service.baseUrl, onPostgres.baseUrl],
    key: onSqlite.key,
    stop: async () => {
      await onPostgres.stop();
      await onSqlite.stop();
    },
  };
}

async function startDrawn(folder: DataFolder): Promise<AgreeingServices> {
  const path = await mkdtemp(join(tmpdir(), "cadastre-agreement-"));
  const onFile = await openDataFolder(path);
  for (const each of [onFile, folder]) await fillDrawn(each);
  const keys = await giveAccess(onFile);
  await copyAccess(onFile, folder);
  for (const each of [onFile, folder])
    for (const [name, change] of Object.entries(drawnGrants))
      await entitle({ folder: each }, name, (before) => ({ ...before, ...change(testCatalog) }));
  const services: RunningService[] = [];
  for (const { path: dataFolder, postgres } of [onFile, folder]) {
    const config = readConfig({
      ...settings,
      PORT: "0",
      CADASTRE_DATA: dataFolder,
      CADASTRE_LISTINGS: "0",
      CADASTRE_LOG_LEVEL: "silent",
      CADASTRE_CHECK_HOURS: "0",
      CADASTRE_SCAN_SECONDS: "3600",
      CADASTRE_REQUESTS_PER_SECOND: "0",
    });
    services.push(
      await startService({ ...config, postgres }, postgres ? folder : onFile, pino({ level: "silent" })),
    );
  }
  return {
    baseUrls: services.map(({ baseUrl }) => baseUrl),
    key: (customer) => keys.find(({ name }) => name === customer)?.apiKey ?? "",
    stop: async () => {
      for (const service of services) await service.stop();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Gives a folder the random catalog, as an operator does, and drawn records. */
async function fillDrawn(folder: DataFolder): Promise<void> {
  await prepareListings(folder, 0, noProgress);
  await withRegistry(folder, (registry) => changeCatalog(folder, registry, () => testCatalog.definition));
  const store = await databasesOf(folder).openListings({ threads: 0, catalog: testCatalog });
  try {
    const lookups = [...testCatalog.lookups.rows()].map((row) => ({ resource: "Lookup", ...row }));
    // Those that the change has published have the time of the change.
    await store.commit([...drawnRecords(1, 25), ...lookups]);
    const { builds, results } = await publishGated(store, [...localResources, "Lookup"]);
    if (builds.length === 0) throw new Error(`not published: ${JSON.stringify([...results])}`);
  } finally {
    await store.close();
  }
}

const giveAccess = (folder: DataFolder) =>
  withRegistry(folder, async (registry) =>
    prepareDemoAccess(folder, registry, await readSecretsOf(folder, registry), Date.now()),
  );

/** Gives another folder the same secrets, keys and entitlements. */
async function copyAccess(from: DataFolder, to: DataFolder): Promise<void> {
  // The keys that sign manifests are made when a service starts.
  for (const file of ["secrets", "issuer", "publicKeys", "signingKeys", "demo"] as const)
    if (existsSync(from[file])) await cp(from[file], to[file]);
  await giveAccess(to);
}

type Grants = Pick<Entitlement, "regions" | "datasets">;

const everyResource = (fields: "*" | readonly string[] = "*"): DatasetGrant["resources"] =>
  Object.fromEntries(
    [...localResources, "Lookup"].map((name) => [name, { fields: name === "Property" ? fields : "*" }]),
  );

/** Local fields of listings, every second one. */
const someFields = (catalog: Catalog): readonly string[] =>
  catalog
    .fieldsOf("Property")
    .filter(({ source }) => source !== null)
    .flatMap(({ name }, i) => (i % 2 === 0 ? name : []));

/** What the demo's customers are granted of the systems of a random catalog. */
const drawnGrants: Readonly<Record<string, (catalog: Catalog) => Grants>> = {
  national: ({ systems }) => ({
    regions: [{ kind: "national", value: "US" }],
    datasets: systems.map(({ datasetId }) => ({ dataset_id: datasetId, resources: everyResource() })),
  }),
  market: ({ systems: [system] }) => ({
    regions: [{ kind: "originating_system", value: system?.name ?? "" }],
    datasets: [{ dataset_id: system?.datasetId ?? "", resources: everyResource() }],
  }),
  state: (catalog) => ({
    regions: [{ kind: "state", value: "TX" }],
    datasets: catalog.systems.map(({ datasetId }) => ({
      dataset_id: datasetId,
      resources: everyResource(["City", "ListPrice", "StandardStatus", ...someFields(catalog)]),
    })),
  }),
  coarse: (catalog) => ({
    regions: [{ kind: "state", value: "WA" }],
    datasets: catalog.systems.map(({ datasetId }) => ({
      dataset_id: datasetId,
      resources: {
        ...everyResource(),
        Property: {
          fields: "*",
          masks: {
            PostalCode: "prefix3",
            Latitude: "round2",
            Longitude: "round2",
            ...Object.fromEntries(someFields(catalog).map((name) => [name, "null"])),
          },
        },
      },
    })),
  }),
};
