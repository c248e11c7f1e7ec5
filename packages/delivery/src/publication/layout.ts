import type { Delivery } from "../ledger/delivery.ts";

/** Names of the objects beside the parts of a delivery. */
export const manifestName = "manifest.json";
export const signatureName = "manifest.jws.json";
export const completeName = "_COMPLETE";

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
  return `subscriptions/${subscription}/${digits(generation)}/${digits(sequence)}-${id}`;
}
