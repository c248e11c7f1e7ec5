import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import { DataError, readDataFile } from "../data/data-error.ts";
import { type DataFolder, replaceFile } from "../data/data-folder.ts";
import { partsRoot } from "../delivery/parts-place.ts";
import { flushFolder } from "./copy-file.ts";

/** Name of the staging folders of a restore. */
const stagingName = "restoring";

const root = z.enum(["data", "parts"]);

/** A file or folder of the data folder or of the folder of parts, which a restore replaces. */
const entry = z.strictObject({
  root,
  name: z.string(),
  /** True if the backup has it. False: an existing one is moved aside and not replaced. */
  puts: z.boolean(),
});

/** Journal of a restore. It is written when all files are staged and verified; from then on the restore is always completed. */
const schema = z.strictObject({
  version: z.literal(1),
  /** Name of the folders that the existing files are moved to, one beside each restored folder. */
  replaced: z.string(),
  /** SHA-256 of the backup's manifest. */
  backup: z.string(),
  /** Folder of parts that is restored to. Null: the one in the data folder, which may have been moved since. */
  parts: z.string().nullable(),
  entries: z.array(entry),
});

export type PendingRestore = z.output<typeof schema>;
export type RestoredEntry = z.output<typeof entry>;

type Places = Readonly<Record<z.output<typeof root>, string>>;

/** Returns the folders whose content is restored. */
export const restoredFolders = (
  folder: DataFolder,
  { partsFolder }: Pick<Config, "partsFolder">,
): Places => ({
  data: folder.path,
  parts: partsRoot({ partsFolder }, folder),
});

/** Returns the configured folder of parts. Null if the parts are in the data folder. */
export const partsElsewhere = ({ partsFolder }: Pick<Config, "partsFolder">): string | null =>
  partsFolder === undefined ? null : resolve(partsFolder);

export const stagingFolders = (places: Places): Places => ({
  data: join(places.data, stagingName),
  parts: join(places.parts, stagingName),
});

/** Name of a marker file in the staging folders of a restore. A folder without it was not created by a restore and is not touched. */
const markName = "cadastre-restore";

/** True if the folder is a staging folder of a restore. */
export const isStaging = (place: string): boolean => existsSync(join(place, markName));

/**
 * Creates the staging folders, and empties those of an interrupted restore.
 *
 * @throws {DataError} if a folder of that name exists that no restore has created
 */
export async function prepareStaging(staging: Places): Promise<void> {
  for (const place of Object.values(staging)) {
    if (existsSync(place) && (await readdir(place)).length > 0 && !isStaging(place))
      throw new DataError(`${place} is in the way, and no restore has made it: give it another name first`);
  }
  for (const place of Object.values(staging)) {
    await rm(place, { recursive: true, force: true });
    await mkdir(place, { recursive: true, mode: 0o700 });
    await writeFile(join(place, markName), "", { mode: 0o600 });
  }
}

/** Returns a name that no file or folder has in any of the places: `name`, or `name-2` and so on. */
export function freeName(places: Places, name: string): string {
  for (let k = 1; ; k++) {
    const free = k === 1 ? name : `${name}-${k}`;
    if (Object.values(places).every((place) => !existsSync(join(place, free)))) return free;
  }
}

const journalOf = ({ path }: DataFolder): string => join(path, stagingName, "restore.json");

/** True if a restore was interrupted while it put files in place. */
export const isRestorePending = (folder: DataFolder): boolean => existsSync(journalOf(folder));

const readPendingRestore = (folder: DataFolder): Promise<PendingRestore> =>
  readDataFile(journalOf(folder), (text) => schema.parse(JSON.parse(text)));

/** Writes the journal. This process, or else the next program that uses the folder, then completes the restore. */
export async function beginSwap(folder: DataFolder, pending: PendingRestore): Promise<void> {
  await replaceFile(journalOf(folder), JSON.stringify(pending));
  await flushFolder(dirname(journalOf(folder)));
}

/**
 * Puts the files of a pending restore in place and moves existing ones aside. Each step is a rename. Steps that were done before are
 * skipped, so it can be interrupted and called again. The caller must hold the exclusive lock of the folder.
 *
 * @param at called before each step
 */
export async function finishRestore(
  folder: DataFolder,
  config: Pick<Config, "partsFolder">,
  at: (point: string) => void = () => {},
): Promise<PendingRestore> {
  const pending = await readPendingRestore(folder);
  const places = restoredFolders(folder, config);
  if (partsElsewhere(config) !== pending.parts)
    throw new DataError(
      `A restore was cut off whose parts are in ${pending.parts ?? folder.exports}, and not in ${places.parts}: set CADASTRE_PARTS as it was, and try again`,
    );
  const staging = stagingFolders(places);
  for (const { root: of, name, puts } of pending.entries) {
    const [staged, live] = [join(staging[of], name), join(places[of], name)];
    const aside = join(places[of], pending.replaced, name);
    // If the file is no longer in the staging folder, an earlier run has already put it in place.
    if (existsSync(live) && (!puts || existsSync(staged))) {
      at(`aside ${name}`);
      await mkdir(dirname(aside), { recursive: true, mode: 0o700 });
      await rename(live, aside);
    }
    if (existsSync(staged)) {
      at(`place ${name}`);
      await rename(staged, live);
    }
  }
  for (const place of Object.values(places)) if (existsSync(place)) await flushFolder(place);
  at("done");
  await rm(journalOf(folder));
  for (const place of Object.values(staging)) await rm(place, { recursive: true, force: true });
  return pending;
}
