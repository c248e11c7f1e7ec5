import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { PartStore } from "../parts/part-store.ts";

export type RetentionOptions = {
  readonly ledger: Pick<DeliveryLedger, "retention">;
  readonly parts: PartStore;
};

/** What a run of the retention has done. */
export type RetentionReport = {
  /** Deliveries that have expired. */
  readonly expired: number;
  /** Deliveries whose parts were given up. */
  readonly purged: number;
  /** Parts whose bytes were removed. */
  readonly removed: number;
  /** Folders of workers that are gone. */
  readonly swept: number;
};

/** Parts of which the bytes are removed in one go. */
const groupSize = 1000;

/**
 * Have deliveries expire whose time is over, and remove the bytes that no other delivery needs. May run at any time, in several
 * processes, and be cut off: what is left is done by the next run.
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
  // The ledger calls it its own fault, whatever a removal fails of.
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
