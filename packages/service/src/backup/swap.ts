import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Config } from "../config.ts";
import { readDataFile } from "../data/data-error.ts";
import { type DataFolder, writeAtomically } from "../data/data-folder.ts";
import { flushFolder } from "./copy-file.ts";

/** Name of the staging folders of a restore. */
const stagingName = "restoring";

const root = z.enum(["data", "parts"]);

/** A file or folder that is put in place, in the data folder or in the folder of parts. */
const entry = z.strictObject({
  root,
  name: z.string(),
  /** False if the backup does not have it: an existing one is only moved aside. */
  puts: z.boolean(),
});

/** The journal of a restore whose files are all staged and verified. From then on the restore is always finished. */
const schema = z.strictObject({
  version: z.literal(1),
  /** Name of the folders that existing data is moved to. */
  replaced: z.string(),
  /** SHA-256 of the backup's manifest. */
  backup: z.string(),
  entries: z.array(entry),
});

export type PendingRestore = z.output<typeof schema>;
export type RestoredEntry = z.output<typeof entry>;

type Places = Readonly<Record<z.output<typeof root>, string>>;

/** The folders whose content is restored. */
export const placesOf = (folder: DataFolder, { partsFolder }: Pick<Config, "partsFolder">): Places => ({
  data: folder.path,
  parts: partsFolder ?? folder.exports,
});

export const stagingOf = (places: Places): Places => ({
  data: join(places.data, stagingName),
  parts: join(places.parts, stagingName),
});

const journalOf = ({ path }: DataFolder): string => join(path, stagingName, "restore.json");

/** True if a restore was interrupted while it put files in place. */
export const isRestorePending = (folder: DataFolder): boolean => existsSync(journalOf(folder));

const readPendingRestore = (folder: DataFolder): Promise<PendingRestore> =>
  readDataFile(journalOf(folder), (text) => schema.parse(JSON.parse(text)));

/** Writes the journal. The restore is then finished here, or by the next program that uses the folder. */
export async function beginSwap(folder: DataFolder, pending: PendingRestore): Promise<void> {
  await writeAtomically(journalOf(folder), JSON.stringify(pending));
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
  const places = placesOf(folder, config);
  const staging = stagingOf(places);
  for (const { root: of, name, puts } of pending.entries) {
    const [staged, live] = [join(staging[of], name), join(places[of], name)];
    const aside = join(places[of], pending.replaced, name);
    // A file that is in place already is not in the staging folder any more.
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
