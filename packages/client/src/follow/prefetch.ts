import { join } from "node:path";
import { withLock } from "../fetch/lock.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import { openStaging, type TakeOptions } from "../pull/take.ts";
import type { DeliveryFeed } from "./feed.ts";
import type { ListedDelivery } from "./position.ts";

/** Stages deliveries ahead of their load. A failure is not reported: the load stages that delivery again, and reports it. */
export type Prefetch = {
  /** Begins to fetch the manifests and parts of deliveries that will be loaded. Those that were begun before are not begun again. */
  readonly begin: (deliveries: readonly ListedDelivery[]) => void;
  /** Returns the verified manifest of a delivery. If its parts are being staged, waits for them. */
  readonly manifest: (delivery: ListedDelivery) => Promise<VerifiedManifest>;
  /** Waits until nothing is being staged. */
  readonly settle: () => Promise<void>;
};

export function prefetchBy(feed: DeliveryFeed, options: TakeOptions): Prefetch {
  const begun = new Map<string, Promise<VerifiedManifest>>();
  const stage = async (delivery: ListedDelivery): Promise<VerifiedManifest> => {
    const { parallel = 4, maxBytes } = options;
    const verified = await feed.manifest(delivery);
    const staging = await openStaging(options, delivery.id);
    const onBytes = () => {};
    await withLock(join(staging, delivery.id), () =>
      feed.stage(verified, delivery, { staging, parallel, maxBytes, onBytes }),
    );
    return verified;
  };
  return {
    begin: (deliveries) => {
      for (const one of deliveries) {
        if (begun.has(one.id)) continue;
        const staged = stage(one);
        // It is awaited later, or never.
        staged.catch(() => undefined);
        begun.set(one.id, staged);
      }
    },
    manifest: async (delivery) => {
      const staged = await begun.get(delivery.id)?.catch(() => undefined);
      begun.delete(delivery.id);
      return staged ?? feed.manifest(delivery);
    },
    settle: async () => {
      await Promise.allSettled(begun.values());
    },
  };
}
