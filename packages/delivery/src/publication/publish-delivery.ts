import type { Destinations } from "../destinations/destinations.ts";
import { type DestinationFailure, destinationFailures } from "../destinations/probe.ts";
import { DeliveryError } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import { writeLatest } from "./latest.ts";
import { folderOf, latestKeyOf } from "./layout.ts";
import type { PublishedObjects } from "./publication.ts";
import { type PublicationReport, type PublishOptions, publishObjects } from "./publish.ts";

export type PublishedDelivery = Pick<
  Delivery,
  "id" | "customer" | "destination" | "subscription" | "generation" | "sequence"
>;

/** A bucket that begins to deny that pointers are replaced, or allows it again. */
export type PointerChange = {
  readonly customer: string;
  readonly destination: string;
  readonly subscription: string | null;
  readonly delivery: string;
  readonly isDenied: boolean;
};

/**
 * Publishes a sealed delivery to its destination. If the destination refuses it, the destination becomes degraded with the failure. A
 * committed publication is completed even if the destination is not active. If the bucket denies that the pointer of the subscription is
 * replaced, the destination has that from then on, until a pointer is replaced again.
 *
 * @throws {DeliveryError} `destination_denied`, `destination_conflict`, `destination_not_active`, `bucket_unavailable`,
 * `object_damaged`, `external_id_unreadable`, and errors of `authorize`
 */
export async function publishDelivery(
  destinations: Pick<Destinations, "find" | "open" | "degrade" | "notePointer">,
  delivery: PublishedDelivery,
  publication: PublishedObjects,
  options: PublishOptions & {
    readonly signal?: AbortSignal | undefined;
    readonly onPointer?: ((change: PointerChange) => Promise<void> | void) | undefined;
  },
): Promise<PublicationReport> {
  const { id, customer, destination } = delivery;
  if (destination === null) throw new DeliveryError("destination_required");
  const found = await destinations.find(customer, destination);
  try {
    const folder = folderOf(delivery);
    const opened = await destinations.open(customer, destination, {
      delivery: id,
      folder,
      pointer: latestKeyOf(delivery),
      signal: options.signal,
      isCommitted: options.isCommitted,
    });
    try {
      const report = await publishObjects(opened, publication, options);
      const latest = await writeLatest(opened, delivery, publication.manifest, options);
      const isDenied = latest === "denied";
      const isOther = latest !== "kept" && isDenied !== (found.pointerDenied !== null);
      if (isOther && (await destinations.notePointer(found, isDenied))) {
        const { subscription } = delivery;
        await options.onPointer?.({ customer, destination, subscription, delivery: id, isDenied });
      }
      return report;
    } finally {
      opened.bucket.close();
    }
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    // If it is not active, the next verification finds the failure.
    if (found.state === "active") await destinations.degrade(found, failure);
    throw new DeliveryError("destination_denied", failure, { cause: error });
  }
}

const failureOf = (error: unknown): DestinationFailure | undefined =>
  error instanceof DeliveryError ? destinationFailures.find((code) => code === error.code) : undefined;
