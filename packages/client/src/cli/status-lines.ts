import type { ClientError } from "../errors.ts";
import type { CopyState } from "../load/copy-state.ts";
import { deliveriesBehind, lastAcknowledged, lastComplete } from "../subscriptions/lag.ts";
import { nextDueAt, type RemoteDelivery, type RemoteSubscription } from "../subscriptions/subscriptions.ts";

/** A subscription and its deliveries, as the service knows them. */
export type ServedSubscription = {
  readonly subscription: RemoteSubscription;
  readonly deliveries: readonly RemoteDelivery[];
};

/** A local copy, and what it has loaded. */
export type LocalCopy = {
  readonly target: string;
  readonly states: readonly CopyState[];
  /** The reason why the copy could not be read. */
  readonly fault?: ClientError;
};

export type StatusPlace = Pick<RemoteDelivery, "generation" | "sequence"> & { readonly deliveryId: string };

/** A copy and the subscription that it holds, or a subscription without a copy. */
export type StatusLine = {
  /** Null for a copy that holds no subscription. */
  readonly subscriptionId: string | null;
  /** Null if the service was not asked, or has no such subscription. */
  readonly subscription: RemoteSubscription | null;
  readonly delivered: (StatusPlace & { readonly completedAt: string | null }) | null;
  readonly acknowledged: (StatusPlace & { readonly acknowledgedAt: string }) | null;
  readonly nextDueAt: string | null;
  /** Null if no copy holds the subscription. */
  readonly copy: {
    readonly target: string;
    /** Null if nothing of a subscription was loaded. */
    readonly loaded: (StatusPlace & Pick<CopyState, "asOf" | "loadedAt">) | null;
    /** Complete deliveries that are not loaded; null if it is not known. */
    readonly deliveriesBehind: number | null;
    /** Age of the copy's data in seconds. */
    readonly dataAgeSeconds: number | null;
    /** The reason why the copy is not current, whatever was loaded. */
    readonly fault: { readonly error: string; readonly message: string } | null;
  } | null;
};

/** Returns a line for each subscription in each copy, and for each subscription that is not canceled and in none. */
export function statusLines(
  served: readonly ServedSubscription[] | undefined,
  copies: readonly LocalCopy[],
  now: number,
): readonly StatusLine[] {
  const byId = new Map(served?.map((one) => [one.subscription.id, one]));
  const held = copies.flatMap((copy) => {
    // One-off exports have no subscription.
    const states = copy.states.filter(({ stream, deliveryId }) => stream !== deliveryId);
    const isTold = copy.fault !== undefined || served !== undefined;
    if (states.length === 0 && isTold)
      return [lineOf(null, undefined, copyOf(copy, undefined, undefined, now))];
    return states.map((state) => {
      const of = byId.get(state.stream);
      return lineOf(state.stream, of, copyOf(copy, state, of, now));
    });
  });
  const ids = new Set(held.map(({ subscriptionId }) => subscriptionId));
  const others = (served ?? []).filter(({ subscription }) => !ids.has(subscription.id));
  return [...held, ...others.map((one) => lineOf(one.subscription.id, one, null))];
}

function lineOf(
  subscriptionId: string | null,
  served: ServedSubscription | undefined,
  copy: StatusLine["copy"],
): StatusLine {
  const last = served && lastComplete(served.deliveries);
  const acknowledged = served && lastAcknowledged(served.deliveries);
  return {
    subscriptionId,
    subscription: served?.subscription ?? null,
    delivered: last === undefined ? null : { ...placeOf(last), completedAt: last.completedAt },
    acknowledged:
      acknowledged === undefined
        ? null
        : { ...placeOf(acknowledged), acknowledgedAt: acknowledged.acknowledgedAt ?? "" },
    nextDueAt: served === undefined ? null : nextDueAt(served.subscription),
    copy,
  };
}

const placeOf = ({ id, generation, sequence }: RemoteDelivery): StatusPlace => ({
  deliveryId: id,
  generation,
  sequence,
});

function copyOf(
  { target, ...copy }: LocalCopy,
  state: CopyState | undefined,
  served: ServedSubscription | undefined,
  now: number,
): NonNullable<StatusLine["copy"]> {
  const fault = copy.fault ?? state?.fault;
  const { deliveryId = "", generation = 0, sequence = 0, asOf = "", loadedAt = "" } = state ?? {};
  const isCurrent = state !== undefined && fault === undefined;
  return {
    target,
    loaded: state === undefined ? null : { deliveryId, generation, sequence, asOf, loadedAt },
    deliveriesBehind: isCurrent && served !== undefined ? deliveriesBehind(served.deliveries, state) : null,
    dataAgeSeconds: isCurrent ? Math.round((now - Date.parse(asOf)) / 1000) : null,
    fault: fault === undefined ? null : { error: fault.code, message: fault.message },
  };
}
