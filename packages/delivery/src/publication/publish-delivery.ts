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

/**
 * Publishes a sealed delivery to its destination. If the destination refuses it, the destination becomes degraded with the failure. A
 * committed publication is completed even if the destination is not active.
 *
 * @throws {DeliveryError} `destination_denied`, `destination_conflict`, `destination_not_active`, `bucket_unavailable`,
 * `object_damaged`, `external_id_unreadable`, and errors of `authorize`
 */
export async function publishDelivery(
  destinations: Pick<Destinations, "find" | "open" | "degrade">,
  delivery: PublishedDelivery,
  publication: PublishedObjects,
  options: PublishOptions & { readonly signal?: AbortSignal | undefined },
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
      await writeLatest(opened, delivery, publication.manifest, options);
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
