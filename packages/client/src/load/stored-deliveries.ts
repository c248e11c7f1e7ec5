import type { ChainLink, ManifestPart } from "@cadastre/manifest";
import { partsOf } from "../content/columns.ts";
import { readSchema } from "../content/schema.ts";
import { ClientError } from "../errors.ts";
import { onDisk } from "../fetch/disk.ts";
import { manifestFile } from "../fetch/staging.ts";
import { readEntry, readLedger } from "./folder-ledger.ts";
import { linkOf } from "./ledger.ts";
import { recordLines } from "./record-lines.ts";

/** A delivery in a folder of its own, as a folder target holds it. */
export type StoredDelivery = ChainLink & {
  readonly folder: string;
  /** Canonical text of the manifest. */
  readonly text: string;
};

/**
 * Returns the deliveries in a folder, in no particular order. A folder that holds one delivery itself is allowed. Reads their manifests
 * alone: `verifyFolder` checks the files.
 *
 * @throws {ClientError} `folder_invalid` if the folder cannot be read, or a manifest in it is damaged
 */
export async function readDeliveries(folder: string): Promise<readonly StoredDelivery[]> {
  const { entries, hasUnreadable } = await onDisk(folder, async () => {
    const own = await readEntry(folder);
    if (own === undefined) return readLedger(folder);
    return own === "unreadable"
      ? { entries: [], hasUnreadable: true }
      : { entries: [own], hasUnreadable: false };
  });
  if (hasUnreadable)
    throw new ClientError("folder_invalid", {
      folder,
      reason: `it has a ${manifestFile} that cannot be read: follow the subscription again, which repairs it`,
    });
  return entries.map((entry) => ({ ...linkOf(entry), folder: entry.place, text: entry.manifest }));
}

/**
 * Reads the rows or removals of a dataset as JSON texts, with values of the types of the schema document whatever the format. Members that
 * are null may be left out.
 *
 * @throws {ClientError} if a part differs from the manifest, or is Parquet without a schema document
 */
export async function* deliveredLines(
  { manifest, folder }: Pick<StoredDelivery, "manifest" | "folder">,
  dataset: string,
  content: ManifestPart["content"],
): AsyncGenerator<readonly string[]> {
  const schema = (await readSchema(manifest, folder))?.get(dataset);
  for (const part of partsOf(manifest, dataset, folder))
    if (part.part.content === content) yield* recordLines({ schema, described: schema }, part);
}
