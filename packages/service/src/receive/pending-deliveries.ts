import type { StoredDelivery } from "@cadastre/client";
import { type ChainLink, requireFollows } from "@cadastre/manifest";
import { IngestError } from "../ingest/ingest-error.ts";

/**
 * Returns the deliveries of a stream that are to be ingested, in their order: of a subscription, what follows the last one that was
 * received; of one-off exports the newest one, if it is newer.
 *
 * @param last last delivery that was received; undefined to begin anew
 * @throws {IngestError} if what follows is not there
 * @throws {ManifestError} if a delivery does not follow the one before it
 */
export function pendingDeliveries(
  deliveries: readonly StoredDelivery[],
  last: ChainLink | undefined,
): readonly StoredDelivery[] {
  if (deliveries.every(({ manifest }) => manifest.subscriptionId === null))
    return newestExport(deliveries, last);
  const sorted = deliveries.toSorted(
    ({ manifest: a }, { manifest: b }) => a.generation - b.generation || a.sequence - b.sequence,
  );
  const generation = sorted.at(-1)?.manifest.generation;
  const current = sorted.filter(({ manifest }) => manifest.generation === generation);
  const isContinued = last?.manifest.generation === generation;
  const pending = isContinued
    ? current.filter(({ manifest }) => manifest.sequence > (last?.manifest.sequence ?? -1))
    : current.filter(() => last === undefined || last.manifest.generation < (generation ?? 0));
  const [first] = pending;
  if (first === undefined) return [];
  if (!isContinued && first.manifest.kind === "delta")
    throw new IngestError(
      `the seed ${generation}.0 of the subscription ${first.manifest.subscriptionId} is not in the folder, which begins with ${generation}.${first.manifest.sequence}: \`cadastre-client subscriptions reset\` makes a new seed`,
    );
  let before = last;
  for (const delivery of pending) {
    if (before !== undefined) requireFollows(before, delivery);
    before = delivery;
  }
  return pending;
}

function newestExport(
  deliveries: readonly StoredDelivery[],
  last: ChainLink | undefined,
): readonly StoredDelivery[] {
  const newest = deliveries.toSorted((a, b) => instantOf(a) - instantOf(b)).at(-1);
  if (newest === undefined || newest.sha256 === last?.sha256) return [];
  return last !== undefined && instantOf(newest) < instantOf(last) ? [] : [newest];
}

const instantOf = ({ manifest }: ChainLink): number => Date.parse(manifest.window.asOf);
