import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { PartStore } from "../parts/part-store.ts";

export type RetentionOptions = {
  readonly ledger: Pick<DeliveryLedger, "retention">;
  readonly parts: PartStore;
};

/** Counts of one retention run. */
export type RetentionReport = {
  /** Deliveries that expired. */
  readonly expired: number;
  /** Deliveries whose parts were released. */
  readonly purged: number;
  /** Parts whose bytes were removed. */
  readonly removed: number;
  /** Staging folders removed because their worker is gone. */
  readonly swept: number;
};

/** Maximum number of parts that one call of the ledger removes. */
const groupSize = 1000;

/**
 * Expires deliveries that are past their time, and removes the bytes that no other delivery needs. It may run at any time, in several
 * processes at once, and be interrupted: the next run does the rest.
 *
 * @param at milliseconds since 1970
 * @throws {DeliveryError} `parts_not_writable`, `parts_unavailable`
 * @throws {StoreError} `registry_unavailable`
 */
export async function retain({ ledger, parts }: RetentionOptions, at: number): Promise<RetentionReport> {
  const { retention } = ledger;
  const expired = await retention.expire(at);
  const purged = await retention.purge();
  const removed = await removeBytes({ ledger, parts });
  return { expired, purged, removed, swept: await parts.sweep(retention.claims) };
}

async function removeBytes({ ledger, parts }: RetentionOptions): Promise<number> {
  // The ledger reports any error of the callback as an error of its own, so the original one is kept and thrown instead.
  let fault: unknown;
  const remove = (sha256: string) =>
    parts.remove(sha256).catch((error: unknown) => {
      fault = error;
      throw error;
    });
  let removed = 0;
  try {
    for (let group = groupSize; group === groupSize; removed += group)
      group = await ledger.retention.removeBytes(groupSize, remove);
    return removed;
  } catch (error) {
    throw fault ?? error;
  }
}
