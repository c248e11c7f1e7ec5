import type { ChainLink, ManifestError } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { countFailures } from "../failures.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import { type Looks, longer, pauseFor } from "../http/pause.ts";
import { discardLoaded, type LoadReport, type TakeOptions, take } from "../pull/take.ts";
import type { DeliveryFeed, SubscriptionState } from "./feed.ts";
import type { ListedDelivery } from "./position.ts";
import { type Prefetch, prefetchBy } from "./prefetch.ts";

export type FollowOptions = TakeOptions & {
  /** True to return as soon as nothing is left to load. */
  readonly once?: boolean;
  /** Pauses between two looks for deliveries when there are none. */
  readonly pauses?: Looks;
  readonly signal?: AbortSignal | undefined;
  /** Called after a delivery is loaded, or its damaged files were fetched again (`damaged`), before it is acknowledged. */
  readonly onLoaded?: (delivery: VerifiedManifest, report: LoadReport) => void | Promise<void>;
  /** Called with the last loaded delivery after it has been acknowledged, if deliveries are acknowledged. */
  readonly onCurrent?: (delivery: ChainLink) => void | Promise<void>;
  /** Called when the subscription is paused or suspended, and when it goes on, with the last loaded delivery. */
  readonly onState?: (state: SubscriptionState, last: ChainLink | undefined) => void;
  /**
   * Called once when the service says that the entitlement was revoked and the copy must be deleted, with the last loaded delivery. An error
   * ends the run. Also called if the service refuses the key because the access was removed. If it is given, the service is also asked before the first delivery of a copy is loaded.
   */
  readonly onRevoked?: (last: ChainLink | undefined) => Promise<void>;
  /** Called after a failure that does not end the run, with the pause before the retry in milliseconds. */
  readonly onPause?: (error: ClientError | ManifestError, pause: number) => void;
};

const usualPauses: Looks = [5000, 300_000];

/**
 * Keeps a copy of a subscription's deliveries, through all generations and deltas. The only state is the target's ledger: after any
 * interruption the next call continues, and acknowledges a delivery that was loaded but not acknowledged.
 *
 * @throws {ClientError | ManifestError}
 */
export async function follow(feed: DeliveryFeed, options: FollowOptions): Promise<void> {
  const { once = false, pauses = usualPauses, signal, onPause = () => {} } = options;
  const prefetch = prefetchBy(feed, options);
  const round = roundsOf(feed, prefetch, options);
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
      // Nothing of this run may go on after it, or beside its next attempt.
      await prefetch.settle();
      if (signal?.aborted) throw new ClientError("interrupted");
      if (once || !failures.goesOn(error)) throw error;
      onPause(error, pause);
    }
    await pauseFor(pause, signal);
  }
}

/** Returns a function that loads the next delivery, and returns false if there is none. */
function roundsOf(feed: DeliveryFeed, prefetch: Prefetch, options: FollowOptions): () => Promise<boolean> {
  const { target, onLoaded, onCurrent } = options;
  let told: string | undefined;
  const tell = stateTeller(feed, options);
  return async () => {
    const last = await target.last(feed.subscription);
    try {
      return await round(last);
    } catch (error) {
      // Without access the state cannot be asked for: the refusal says that all was revoked.
      if (isRemoval(error)) await tell.revocation(last);
      // What was revoked is refused, and only the state tells that it was.
      else if (isRefusal(error)) await tell.state(last);
      throw error;
    }
  };

  async function round(last: ChainLink | undefined): Promise<boolean> {
    // First, because it detects that the server's history differs from the copy's.
    const next = await feed.next(last);
    // A seed replaces what the tables hold.
    if (last !== undefined && next?.sequence !== 0) await target.requireIntact(last);
    if (last !== undefined && last.sha256 !== told) {
      // The run that loaded it may have been interrupted before this.
      await feed.acknowledge?.(last);
      await discardLoaded(options, last.manifest);
      told = last.sha256;
      await onCurrent?.(last);
    }
    const isFirst = last === undefined && options.onRevoked !== undefined;
    if (next === undefined || isFirst) await tell.state(last);
    if (next === undefined) return false;
    const delivery = await prefetch.manifest(next);
    requirePlace(delivery, next, feed.subscription);
    prefetch.begin(feed.ahead?.(next) ?? []);
    const report = await take(delivery, (staging) => feed.stage(delivery, next, staging), options);
    await onLoaded?.(delivery, report);
    return true;
  }
}

/** Codes with which a service refuses what the entitlement does not grant. */
const refusals: ReadonlySet<string> = new Set(["forbidden", "entitlement_changed"]);

const isRemoval = (error: unknown): boolean =>
  error instanceof ClientError && error.code === "access_removed";

const isRefusal = (error: unknown): boolean => error instanceof ClientError && refusals.has(error.code);

/** States in which no delivery follows until somebody acts. */
const waiting: ReadonlySet<string> = new Set(["paused", "suspended"]);

type StateTeller = {
  /**
   * Looks at the state of the subscription, and tells it once per change.
   *
   * @throws {ClientError} `subscription_canceled`
   */
  readonly state: (last: ChainLink | undefined) => Promise<void>;
  /** Tells once that the entitlement was revoked. */
  readonly revocation: (last: ChainLink | undefined) => Promise<void>;
};

function stateTeller(feed: DeliveryFeed, { onState, onRevoked }: FollowOptions): StateTeller {
  let told: string | undefined;
  let isRevocationTold = false;
  const revocation: StateTeller["revocation"] = async (last) => {
    if (isRevocationTold) return;
    isRevocationTold = true;
    await onRevoked?.(last);
  };
  const tellState: StateTeller["state"] = async (last) => {
    const state = await feed.state?.();
    if (state?.purge_required === true) await revocation(last);
    if (state?.status === "canceled") {
      const asOf = last?.manifest.window.asOf;
      const data = asOf === undefined ? "nothing of it was loaded" : `the copy has its data as of ${asOf}`;
      throw new ClientError("subscription_canceled", { data });
    }
    const status = state !== undefined && waiting.has(state.status) ? state.status : undefined;
    if (state !== undefined && status !== told) onState?.(state, last);
    told = status;
  };
  return { state: tellState, revocation };
}

/** @throws {ClientError} if the manifest is not of the delivery that was listed */
function requirePlace(
  { manifest }: VerifiedManifest,
  { id, generation, sequence }: ListedDelivery,
  subscription: string,
): void {
  const isSame =
    manifest.deliveryId === id &&
    manifest.subscriptionId === subscription &&
    manifest.generation === generation &&
    manifest.sequence === sequence;
  if (!isSame) throw new ClientError("manifest_foreign");
}
