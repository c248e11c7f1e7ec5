import { rm } from "node:fs/promises";
import { syncFolder } from "../fetch/disk.ts";
import { readLedger } from "./folder-ledger.ts";
import { dropPointer } from "./folder-pointer.ts";
import { linkOf } from "./ledger.ts";
import type { PurgedData } from "./target.ts";

/** Deletes the deliveries of a subscription from a folder of deliveries, loaded or staged. */
export async function purgeFolder(folder: string, subscription: string): Promise<PurgedData> {
  const { entries, hasUnreadable } = await readLedger(folder);
  await dropPointer(folder, subscription);
  const deleted: PurgedData["deleted"][number][] = [];
  for (const entry of entries) {
    if (entry.stream !== subscription) continue;
    await rm(entry.place, { recursive: true, force: true });
    deleted.push({ name: entry.place, rows: linkOf(entry).manifest.totals.rowCount });
  }
  await syncFolder(folder);
  return { deleted, left: hasUnreadable ? [`${folder}: what has an unreadable manifest`] : [] };
}
