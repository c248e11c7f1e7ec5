import {
  type Catalog,
  type CatalogDefinition,
  createCatalog,
  type LookupRow,
  readDefinition,
  requireSuccessor,
} from "@cadastre/reso";
import { publishGated } from "../gates/publication.ts";
import { servedRecords } from "../ingest/served.ts";
import { sourceOf } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";
import { currentCatalog } from "./catalogs.ts";
import { DataError } from "./data-error.ts";
import type { DataFolder } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import { addPartition } from "./partitions.ts";
import type { Registry } from "./registry.ts";
import { requireNamesUnused } from "./renamed-systems.ts";

/** A version of the catalog that has come into force. */
export type ChangedCatalog = {
  readonly version: number;
  readonly before: Catalog;
  readonly catalog: Catalog;
  /** Numbers of lookup values that were added or changed, and of those that were removed. */
  readonly lookups: LookupCounts;
};

type LookupCounts = { readonly published: number; readonly removed: number };

/**
 * Puts another version of the catalog in force, while the service runs: the database is migrated first, which needs no copy of the records, then
 * the version is added, and the changed values of lookups are published.
 *
 * @param change returns the definition that follows another one
 * @throws {CatalogError} with all faults of the definition
 * @throws {DataError} if another process changes the catalog at the same time
 */
export async function changeCatalog(
  folder: DataFolder,
  registry: Pick<Registry, "catalogs" | "entitlements">,
  change: (definition: CatalogDefinition) => CatalogDefinition,
): Promise<ChangedCatalog> {
  const { catalogs } = registry;
  const { version, before, definition, catalog } = await plannedCatalog(folder, registry, change);
  const store = await databasesOf(folder).openListings({ catalog, threads: 0, migration: {} });
  try {
    for (const { datasetId } of newSystems(before, catalog)) await addPartition(folder, datasetId);
    if (!(await catalogs.add(JSON.stringify(definition), version, Date.now())))
      throw new DataError("another command has changed the catalog at the same time: run this one again");
    return {
      version: version + 1,
      before,
      catalog,
      lookups: await publishLookups(store, before, version + 1),
    };
  } finally {
    await store.close();
  }
}

/**
 * Checks a change of the catalog as {@link changeCatalog} does, and changes nothing.
 *
 * @throws {CatalogError} with all faults of the definition
 */
export async function plannedCatalog(
  folder: DataFolder,
  registry: Pick<Registry, "catalogs" | "entitlements">,
  change: (definition: CatalogDefinition) => CatalogDefinition,
) {
  const { version, catalog: before } = await currentCatalog(registry.catalogs);
  // As it will be read: without members that are undefined.
  const definition = readDefinition(JSON.parse(JSON.stringify(change(before.definition))));
  const catalog = createCatalog(definition);
  requireSuccessor(before.definition, definition);
  await requireNamesUnused(folder, registry, before, definition);
  return { version, before, definition, catalog };
}

const newSystems = (before: Catalog, { systems }: Catalog) =>
  systems.filter(({ id }) => before.systems.every((system) => system.id !== id));

/**
 * Publishes the values of lookups that are not served as the catalog has them. The gate on shrinkage does not hold back those that the
 * catalog has no more: the operator has removed them, by the change itself.
 */
async function publishLookups(store: Listings, before: Catalog, version: number): Promise<LookupCounts> {
  const { catalog, builds } = store;
  if (catalog.systems.length === 0) return { published: 0, removed: 0 };
  const wanted = [...catalog.lookups.rows()];
  const keys = new Set(wanted.map(({ record }) => record.LookupKey));
  const removed = [...before.lookups.rows()].filter(({ record }) => !keys.has(record.LookupKey));
  const changed = await notServed(store, wanted);
  const counts = { published: changed.length, removed: removed.length };
  const changes = [...changed.map(toRecord), ...removed.map(toRemoval)];
  if (changes.length === 0) return counts;
  for (const [datasetId, own] of byDataset(changes)) {
    const source = sourceOf(catalog, datasetId);
    const after = await builds.cursor("Lookup", source);
    await builds.stage("Lookup", source, own, { after, cursor: `catalog ${new Date().toISOString()}` });
  }
  const { results } = await publishGated(store, ["Lookup"], { allowShrink: removed.length > 0 });
  const failed = [...results.values()].flat().filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new DataError(
      `version ${version} of the catalog is in force, and the values of its lookups are staged, but not published, since ${failed.map(({ gate }) => gate).join(", ")} failed: \`cadastre gates Lookup\` says why, and \`cadastre publish Lookup\` publishes them after that`,
    );
  return counts;
}

/** Returns the rows that are not served, or with another value. */
async function notServed(store: Listings, rows: readonly LookupRow[]): Promise<readonly LookupRow[]> {
  const served = await servedRecords(
    store,
    "Lookup",
    rows.map(({ record }) => record.LookupKey),
    ["LookupName", "LookupValue", "LegacyODataValue"],
  );
  return rows.filter(({ record }) => served.get(record.LookupKey)?.["LookupValue"] !== record.LookupValue);
}

/** Rows that change at once are a millisecond apart, so that clients that page by time alone get each one. */
function toRecord({ datasetId, record }: LookupRow, i: number) {
  const ModificationTimestamp = new Date(Date.now() + i).toISOString();
  return { resource: "Lookup", datasetId, record: { ...record, ModificationTimestamp } };
}

const toRemoval = ({ datasetId, record }: LookupRow) => ({
  resource: "Lookup",
  datasetId,
  removed: [record.LookupKey],
});

type LookupChange = ReturnType<typeof toRecord> | ReturnType<typeof toRemoval>;

function byDataset(changes: readonly LookupChange[]): ReadonlyMap<string | null, readonly LookupChange[]> {
  const found = new Map<string | null, LookupChange[]>();
  for (const change of changes) {
    const own = found.get(change.datasetId);
    if (own === undefined) found.set(change.datasetId, [change]);
    else own.push(change);
  }
  return found;
}
