import type { ChainLink, ManifestError } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { type Looks, longer, pauseFor } from "../http/pause.ts";
import type { VerifiedManifest } from "../pull/manifest.ts";
import { discard } from "../pull/staging.ts";
import { stagingOf, type TakeOptions, take } from "../pull/take.ts";
import { countFailures } from "./failures.ts";
import type { Feed } from "./feed.ts";
import type { Announced } from "./place.ts";

export type FollowOptions = TakeOptions & {
  /** End once nothing is left to be loaded. */
  readonly once?: boolean;
  /** Between two looks where the first has found nothing. */
  readonly pauses?: Looks;
  readonly signal?: AbortSignal | undefined;
  /** Told after a delivery is loaded, before it is acknowledged. */
  readonly onLoaded?: (delivery: VerifiedManifest) => void | Promise<void>;
  /** Told of what the copy is current with once that is acknowledged, if anybody is told. */
  readonly onCurrent?: (delivery: ChainLink) => void | Promise<void>;
  /** Called after a failure that does not end the run, with the pause before the retry in milliseconds. */
  readonly onPause?: (error: ClientError | ManifestError, pause: number) => void;
};

const usualPauses: Looks = [5000, 300_000];

/**
 * Keep a copy of what a subscription delivers, through its generations and deltas. Nothing is remembered but what the target's ledger
 * has: whenever this ends, the next call goes on, and acknowledges what was loaded and not acknowledged.
 *
 * @throws {ClientError | ManifestError}
 */
export async function follow(feed: Feed, options: FollowOptions): Promise<void> {
  const { once = false, pauses = usualPauses, signal, onPause = () => {} } = options;
  const round = roundsOf(feed, options);
  const failures = countFailures();
  for (let pause = pauses[0]; ; pause = longer(pause, pauses)) {
    try {
      while (await round()) {
        signal?.throwIfAborted();
        pause = pauses[0];
        failures.reset();
      }
      if (once) return;
      failures.reset();
    } catch (error) {
      if (signal?.aborted) throw new ClientError("interrupted");
      if (once || !failures.goesOn(error)) throw error;
      onPause(error, pause);
    }
    await pauseFor(pause, signal);
  }
}

/** Makes a copy one delivery newer; the answer is false where there is none to load. */
function roundsOf(feed: Feed, options: FollowOptions): () => Promise<boolean> {
  const { target, onLoaded, onCurrent } = options;
  let told: string | undefined;
  return async () => {
    const last = await target.last(feed.subscription);
    // First, for it finds out a server that has another history than the copy.
    const next = await feed.next(last);
    if (last !== undefined && last.sha256 !== told) {
      // Whoever has loaded it may have been ended before it could do this.
      await feed.acknowledge?.(last);
      await discard(await stagingOf(options), last.manifest);
      told = last.sha256;
      await onCurrent?.(last);
    }
    if (next === undefined) return false;
    const delivery = await feed.manifest(next);
    requirePlace(delivery, next, feed.subscription);
    await take(delivery, (staging) => feed.stage(delivery, next, staging), options);
    await onLoaded?.(delivery);
    return true;
  };
}

/** @throws {ClientError} if a manifest is not that of the delivery that was listed. */
function requirePlace(
  { manifest }: VerifiedManifest,
  { id, generation, sequence }: Announced,
  subscription: string,
): void {
  const isSame =
    manifest.deliveryId === id &&
    manifest.subscriptionId === subscription &&
    manifest.generation === generation &&
    manifest.sequence === sequence;
  if (!isSame) throw new ClientError("manifest_foreign");
}
