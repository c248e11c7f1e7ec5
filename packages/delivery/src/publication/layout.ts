import type { Delivery } from "../ledger/delivery.ts";

/** What lies beside the parts of a delivery. */
export const manifestName = "manifest.json";
export const signatureName = "manifest.jws.json";
export const completeName = "_COMPLETE";

const digits = (value: number): string => String(value).padStart(8, "0");

/**
 * The folder of a delivery below the prefix of its destination. Those of a subscription sort in their order; a delivery that was
 * given up leaves its own behind, without {@link completeName}.
 */
export function folderOf(
  delivery: Pick<Delivery, "id" | "subscription" | "generation" | "sequence">,
): string {
  const { id, subscription, generation, sequence } = delivery;
  if (subscription === null) return `exports/${id}`;
  return `subscriptions/${subscription}/${digits(generation)}/${digits(sequence)}-${id}`;
}
