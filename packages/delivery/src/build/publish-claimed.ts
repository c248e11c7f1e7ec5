import { createHash } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import { requirePush } from "../exports/export-request.ts";
import { requireIntact } from "../exports/sealed-manifest.ts";
import { type Delivery, documentKinds } from "../ledger/delivery.ts";
import { isDamage, noteDamage } from "../parts/damage.ts";
import type { Digest } from "../parts/digest.ts";
import { type PublicationSource, sealedPublication } from "../publication/publication.ts";
import { publishDelivery } from "../publication/publish-delivery.ts";
import { type Claimed, requireScope } from "./build-delivery.ts";
import type { PublisherMeans, WorkerSettings } from "./options.ts";

type PublishingOptions = PublisherMeans & Pick<WorkerSettings, "clock" | "at" | "lease">;

/**
 * Publishes a claimed, sealed delivery, from its first missing object on. If it is committed, only the last object is missing, and no
 * permission is checked again, because the object may be there already.
 *
 * @throws errors of the publication, and `StoreError` `lease_lost` if another worker has taken over, or the delivery was canceled
 */
export async function publishClaimed(
  options: PublishingOptions,
  { claim, delivery }: Claimed,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, parts, destinations, clock, at, lease } = options;
  const sealed = await ledger.manifest(delivery.id);
  if (sealed === undefined) throw new DeliveryError("delivery_expired");
  const { manifestSha256 } = delivery;
  if (manifestSha256 === null) throw new TypeError("what is sealed has a hash");
  const isCommitted = delivery.committed !== null;
  let isBound = isCommitted;
  // Objects are published one after the other, so damage that is found is in the one that was opened last.
  let opened = { sha256: manifestSha256, number: 0 };
  const authorize = async () => {
    signal.throwIfAborted();
    await ledger.queue.extend(claim, lease);
    if (isBound) return;
    requirePush(await requireScope(options, delivery));
    await requireActive(destinations, delivery);
  };
  try {
    requireIntact(sealed, manifestSha256);
    const open = (part: typeof opened & Digest) => {
      opened = part;
      return parts.open(part);
    };
    const readDocument = documentReader(ledger, delivery.customer);
    await publishDelivery(destinations, delivery, sealedPublication(sealed, { open, readDocument }), {
      authorize,
      isCommitted,
      commit: async () => {
        await ledger.queue.commit(claim, clock());
        isBound = true;
      },
      at,
      written: () => ledger.queue.advance(claim),
      onPointer: options.onPointer,
      signal,
    });
  } catch (cause) {
    if (isDamage(cause))
      await noteDamage(options, opened.sha256, { delivery: delivery.id, part: opened.number, cause });
    throw cause;
  }
  await at("before_complete");
  await ledger.queue.complete(claim, clock());
  await at("after_complete");
}

/** Returns the function that reads the documents of a customer. @throws {DeliveryError} `part_lost` if one is gone or has another hash */
const documentReader =
  (ledger: PublishingOptions["ledger"], customer: string): Required<PublicationSource>["readDocument"] =>
  async ({ kind, name, sha256 }) => {
    const known = documentKinds.find((one) => one === kind);
    const found = known && (await ledger.document(customer, known, sha256));
    if (found === undefined || createHash("sha256").update(found.text).digest("hex") !== sha256)
      throw new DeliveryError("part_lost", name);
    return found.text;
  };

/** @throws {DeliveryError} `destination_not_active` */
async function requireActive(
  destinations: PublisherMeans["destinations"],
  { customer, destination }: Delivery,
): Promise<void> {
  const { state } = await destinations.find(customer, destination ?? "");
  if (state !== "active") throw new DeliveryError("destination_not_active", state);
}
