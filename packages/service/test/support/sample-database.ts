import { randomUUID } from "node:crypto";
import { constants, existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceHash } from "@cadastre/odata/testing";
import { type DataFolder, openDataFolder } from "../../src/data/data-folder.ts";
import { prepareListings } from "../../src/data/prepare-listings.ts";
import { noProgress } from "./prepare-demo.ts";
import { createDatabase } from "./test-database.ts";

const cache = fileURLToPath(new URL("../../../../node_modules/.cache/samples/", import.meta.url));

/** Databases with more listings than this are not cached, because few tests need them. */
const mostKept = 1000;

let source: string | undefined;

/**
 * Prepares sample listings in a folder as a first start does. The result depends only on the number of listings and on the sources, so it
 * is cached and copied: most test files start a service, and filling its database would take two seconds each time.
 */
export async function prepareSample(folder: DataFolder, listings: number): Promise<void> {
  if (listings > mostKept) {
    await prepareListings(folder, listings, noProgress);
    return;
  }
  source ??= sourceHash();
  const kept = join(cache, source, `${listings}.sqlite`);
  if (!existsSync(kept)) await keep(kept, listings);
  await copyFile(kept, folder.database, constants.COPYFILE_EXCL);
}

/** Creates a PostgreSQL database with sample listings for a data folder. Undefined if the tests use SQLite. */
export const createSampleDatabase = (path: string, listings: number): Promise<string | undefined> =>
  createDatabase(path, `sample_${listings}`, async (url) => {
    await prepareListings(await openDataFolder(path, { url }), listings, noProgress);
  });

/** Creates a data folder with sample listings, as a first start does. */
export async function newSampleFolder(listings: number): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), "cadastre-folder-"));
  const url = await createSampleDatabase(path, listings);
  const folder = await openDataFolder(path, url === undefined ? undefined : { url });
  if (url === undefined) await prepareSample(folder, listings);
  return folder;
}

async function keep(kept: string, listings: number): Promise<void> {
  const folder = await openDataFolder(await mkdtemp(join(tmpdir(), "cadastre-sample-")));
  try {
    await prepareListings(folder, listings, noProgress);
    await mkdir(join(kept, ".."), { recursive: true });
    // Another process may prepare the same database: the last one replaces it with an equal one.
    const beside = `${kept}.${randomUUID()}`;
    await copyFile(folder.database, beside);
    await rename(beside, kept);
  } finally {
    await rm(folder.path, { recursive: true });
  }
  await removeOthers(join(kept, ".."));
}

/** Deletes the databases of other versions of the sources. */
async function removeOthers(current: string): Promise<void> {
  for (const name of await readdir(cache))
    if (join(cache, name) !== current) await rm(join(cache, name), { recursive: true, force: true });
}
