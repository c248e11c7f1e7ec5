import type { Delivery } from "../ledger/delivery.ts";

/** Names of the objects beside the parts of a delivery. */
export const manifestName = "manifest.json";
export const signatureName = "manifest.jws.json";
export const completeName = "_COMPLETE";

/** Name of the pointer to the newest complete delivery of a subscription. It is the only object that is ever overwritten. */
const latestName = "latest.json";

const digits = (value: number): string => String(value).padStart(8, "0");

/**
 * Returns the folder of a delivery below the prefix of its destination. Folders of a subscription sort in the order of its deliveries.
 * A delivery that was canceled or failed may leave a folder behind, without {@link completeName}.
 */
export function folderOf(
  delivery: Pick<Delivery, "id" | "subscription" | "generation" | "sequence">,
): string {
  const { id, subscription, generation, sequence } = delivery;
  if (subscription === null) return `exports/${id}`;
  return `${subscriptionFolder(subscription)}/${digits(generation)}/${digits(sequence)}-${id}`;
}

const subscriptionFolder = (subscription: string): string => `subscriptions/${subscription}`;

/** Returns the key of the pointer below the prefix of the destination; null for a one-off export. */
export const latestKeyOf = ({ subscription }: Pick<Delivery, "subscription">): string | null =>
  subscription === null ? null : `${subscriptionFolder(subscription)}/${latestName}`;
