import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { isLater, latestPointer, latestText, readLatestPointer, readManifest } from "@cadastre/manifest";
import type { OpenDestination } from "../destinations/destinations.ts";
import { DeliveryError } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { ObjectStore } from "../object-store/object-store.ts";
import { folderOf, latestKeyOf } from "./layout.ts";
import type { PublishOptions } from "./publish.ts";

/** Longest pointer that is read. */
const maxLength = 1 << 16;

/** Result of writing a pointer. `kept`: it names the delivery or a later one already, or the delivery has none. */
export type LatestOutcome = "written" | "kept" | "denied";

/**
 * Makes the pointer of a subscription name a delivery whose last object is written, unless it names a later one. A bucket whose policy denies
 * overwriting has no pointer, or the first one: its deliveries are complete all the same.
 */
export async function writeLatest(
  { bucket, destination }: OpenDestination,
  delivery: Pick<Delivery, "id" | "subscription" | "generation" | "sequence">,
  manifest: Uint8Array,
  { authorize, at = () => {} }: Pick<PublishOptions, "authorize" | "at">,
): Promise<LatestOutcome> {
  const name = latestKeyOf(delivery);
  if (name === null) return "kept";
  const key = `${destination.prefix}/${name}`;
  const sealed = {
    manifest: readManifest(manifest),
    sha256: createHash("sha256").update(manifest).digest("hex"),
  };
  const folder = name.slice(0, name.lastIndexOf("/") + 1);
  const pointer = latestPointer(sealed, folderOf(delivery).slice(folder.length));
  if (!isLater(pointer, await pointerAt(bucket, key))) return "kept";
  // A publisher that has lost its lease must not put the pointer back.
  await authorize();
  await at("before_put latest.json");
  const bytes = Buffer.from(latestText(pointer));
  try {
    await bucket.replace(key, {
      byteLength: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      mediaType: "application/json",
      open: () => Readable.from([bytes]),
    });
  } catch (error) {
    if (!(error instanceof DeliveryError && error.code === "bucket_denied")) throw error;
    return "denied";
  }
  await at("after_put latest.json");
  return "written";
}

async function pointerAt(bucket: ObjectStore, key: string) {
  const found = await bucket.open(key);
  if (found === undefined) return undefined;
  const { stream, byteLength } = found;
  if (byteLength <= maxLength) return readLatestPointer((await buffer(stream)).toString("utf8"));
  stream.destroy();
  return undefined;
}
