import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type CatalogDefinition, createCatalog, emptyDefinition } from "@cadastre/reso";
import type { WritableStore } from "@cadastre/store";
import { lockFile } from "@cadastre/store/sqlite";
import { catalogVersion } from "../catalog.ts";
import { addFirstCatalog, toCatalog } from "./catalogs.ts";
import type { DataFolder, PostgresAddress } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import { fillListings, type PreparationProgress } from "./fill-listings.ts";
import { isSample, notes } from "./notes.ts";
import { withDatabaseLock } from "./postgres-databases.ts";
import { PrepareError } from "./prepare-error.ts";
import { withRegistry } from "./registry.ts";
import { sqliteDatabases } from "./sqlite-databases.ts";

/**
 * Creates a database of sample listings, or an empty one if `listings` is 0. A database that has listings is never changed. A
 * new file is filled under another name and renamed, so that a crash leaves no partial database. Returns true if the sample was made now: then
 * there was neither database nor registry before.
 *
 * @throws {PrepareError} if there is a registry or a write-ahead log, but not their database: samples must not replace it
 */
export async function prepareListings(
  folder: DataFolder,
  listings: number,
  progress: PreparationProgress,
): Promise<boolean> {
  const started = performance.now();
  const isNew =
    folder.postgres === undefined
      ? await prepareFile(folder, listings, progress)
      : await preparePostgres(folder, folder.postgres, listings, progress);
  if (!isNew) await tellKept(folder, listings, progress);
  else if (listings > 0) progress.done(listings, (performance.now() - started) / 1000);
  return isNew && listings > 0;
}

/** Returns false if the file exists. */
async function prepareFile(
  folder: DataFolder,
  listings: number,
  progress: PreparationProgress,
): Promise<boolean> {
  await removeLeftovers(folder);
  if (existsSync(folder.database)) return false;
  if (listings > 0 && existsSync(folder.registry))
    throw new PrepareError(
      `${folder.path} has a registry, but ${folder.database} is missing: put back a copy of it, or start with CADASTRE_LISTINGS=0 to create it without listings`,
    );
  if (existsSync(`${folder.database}-wal`))
    throw new PrepareError(
      `${folder.database} is missing, but ${folder.database}-wal with its last changes is there: put the database back, or move ${folder.database}-wal away`,
    );
  const hadRegistry = existsSync(folder.registry);
  // Before the database, so that no start takes an empty one for that of an earlier release, whose systems were compiled in.
  if (listings === 0) await recordCatalog(folder, hadRegistry ? await sampleDefinition() : emptyDefinition);
  else progress.started(listings);
  const beside = `${folder.database}.${randomUUID()}.preparing`;
  const lock = lockFile(lockOf(beside), "exclusive");
  try {
    await makeBeside(beside, folder, listings, progress);
  } finally {
    await rm(lockOf(beside), { force: true });
    lock?.release();
  }
  if (listings > 0) await recordCatalog(folder, await sampleDefinition());
  return true;
}

/** Definition of the catalog of sample listings, and of databases of releases whose systems were compiled in. */
const sampleDefinition = async (): Promise<CatalogDefinition> =>
  (await toCatalog(undefined)).catalog.definition;

/** Adds the first catalog to the registry, which it creates if need be. */
const recordCatalog = (folder: DataFolder, definition: CatalogDefinition): Promise<void> =>
  withRegistry(folder, ({ catalogs }) => addFirstCatalog(catalogs, definition));

/**
 * Creates the tables and fills them, if the database has none. Completes the work of an interrupted start. Other processes wait.
 * Returns false if the database has listings, or was created to have none.
 *
 * @throws {PrepareError} if the database has a registry, but no listings
 */
const preparePostgres = (
  folder: DataFolder,
  { url }: PostgresAddress,
  listings: number,
  progress: PreparationProgress,
): Promise<boolean> =>
  withDatabaseLock(url, "cadastre preparation", async () => {
    const { listingsName, hasListings, hasRegistry, openListings } = databasesOf(folder);
    const creates = !(await hasListings());
    if (creates && (await hasRegistry()))
      throw new PrepareError(
        `${listingsName} has a registry, but no tables of listings: restore your last dump, or run \`cadastre migrate\` to create them without listings`,
      );
    const definition = listings > 0 ? await sampleDefinition() : emptyDefinition;
    const catalog = creates ? createCatalog(definition) : undefined;
    const store = await openListings({ catalog, threads: 0 }, creates);
    try {
      if (!creates && !(await isUnfinished(store))) return false;
      await recordCatalog(folder, definition);
      if (listings > 0) {
        progress.started(listings);
        await fillListings(store, listings, progress);
      }
      await store.notes.set(notes.checked, String(catalogVersion));
      return true;
    } finally {
      await store.close();
    }
  });

/** True if a start was interrupted before it had filled the database. */
const isUnfinished = async (store: WritableStore): Promise<boolean> =>
  (await store.notes.get(notes.checked)) === undefined &&
  ((await isSample(store)) || (await store.checkpoint()) === 0);

async function makeBeside(
  beside: string,
  folder: DataFolder,
  listings: number,
  progress: PreparationProgress,
): Promise<void> {
  const { openListings } = sqliteDatabases({ database: beside, registry: folder.registry });
  const { catalog } = await toCatalog(undefined);
  const store = await openListings({ catalog: listings > 0 ? catalog : undefined, threads: 0 }, true);
  if (listings > 0) await fillListings(store, listings, progress, beside);
  await store.notes.set(notes.checked, String(catalogVersion));
  await store.close();
  await putInPlace(beside, folder.database);
}

/** Returns the lock file of a database that is being filled. A process id would not do: two containers may have the same. */
const lockOf = (beside: string): string => `${beside}.lock`;

/** Renames a file, unless another process has created a file of that name meanwhile. */
async function putInPlace(beside: string, file: string): Promise<void> {
  try {
    await link(beside, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(beside, { force: true });
  }
}

async function tellKept(folder: DataFolder, asked: number, progress: PreparationProgress): Promise<void> {
  const { openListings, listingsName } = databasesOf(folder);
  const store = await openListings({ threads: 0 });
  try {
    const prepared = Number(await store.notes.get(notes.listings));
    if ((await isSample(store)) && prepared !== asked)
      progress.kept(prepared, asked, folder.postgres === undefined ? folder.path : listingsName);
  } finally {
    await store.close();
  }
}

/** Deletes the files of starts that were interrupted. */
async function removeLeftovers({ path, database }: DataFolder): Promise<void> {
  const leftover = new RegExp(`^${basename(database)}\\.[\\w-]+\\.preparing`);
  const found = new Set((await readdir(path)).flatMap((name) => leftover.exec(name) ?? []));
  for (const name of found) {
    const beside = join(path, name);
    const lock = lockFile(lockOf(beside), "exclusive");
    if (lock === undefined) continue;
    try {
      for (const file of [...["", "-wal", "-shm"].map((end) => beside + end), lockOf(beside)])
        await rm(file, { force: true });
    } finally {
      lock.release();
    }
  }
}
