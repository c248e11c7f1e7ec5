import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  type ChainLink,
  isLater,
  latestPointer,
  latestText,
  type Manifest,
  readLatestPointer,
} from "@cadastre/manifest";
import { unlessMissing, writeAtomically } from "../fetch/disk.ts";

const fileOf = (folder: string, stream: string): string => join(folder, `latest-${stream}.json`);

/** Names by which readers find the newest delivery: the subscription, or the domain of one-off exports. */
const streamOf = ({ subscriptionId, domain }: Manifest): string => subscriptionId ?? domain;

/**
 * Makes the pointer `latest-….json` in a folder of deliveries name a delivery, unless it names a later one. A file of that name that is no pointer
 * is left as it is.
 *
 * @param place folder of the delivery
 */
export async function pointTo(folder: string, delivery: ChainLink, place: string): Promise<void> {
  const file = fileOf(folder, streamOf(delivery.manifest));
  const pointer = latestPointer(delivery, basename(place));
  const text = await readFile(file, "utf8").catch(unlessMissing);
  const before = text === undefined ? undefined : readLatestPointer(text);
  if (text !== undefined && before === undefined) return;
  if (isLater(pointer, before)) await writeAtomically(file, latestText(pointer));
}

/** Deletes the pointer of a subscription. */
export async function dropPointer(folder: string, subscription: string): Promise<void> {
  const file = fileOf(folder, subscription);
  const text = await readFile(file, "utf8").catch(unlessMissing);
  if (text !== undefined && readLatestPointer(text) !== undefined) await rm(file, { force: true });
}
