import { relativeTime } from "@cadastre/client/terminal";
import {
  type Delivery,
  type DeliveryState,
  type Destination,
  deliveryErrors,
  type OperatedDelivery,
  type Subscription,
} from "@cadastre/delivery";
import type { WorkKind } from "../../worker-heartbeat.ts";
import { type Diagnosis, mend, sound, warn } from "../doctor/diagnosis.ts";
import { commandFor } from "../doctor/worker-checks.ts";
import { counted, number } from "../progress.ts";
import type { DeliveryContext } from "./delivery-context.ts";
import { codeText, remedyOf } from "./remedies.ts";

/** Time without a finished part after which a build is called slow, in milliseconds. */
const slowAfter = 600_000;

/**
 * Returns the reasons why a delivery is where it is, the one to mend first, each with the command that mends it. The last one is about its
 * subscription, if that is suspended or paused.
 */
export const reasonsOf = (context: DeliveryContext): readonly Diagnosis[] => [
  ...reasonsByState[context.operated.delivery.state](context),
  ...subscriptionReasons(context.subscription, context.operated.delivery),
  ...(context.subscription === undefined ? [] : pointerReasons(context.destination)),
];

const waitsToBeBuilt = (context: DeliveryContext): readonly Diagnosis[] =>
  firstOf(entitlementReasons(context), workerReasons(context, "deliveries"), attemptReasons(context), [
    queueReason(context, "built"),
  ]);

const waitsToBePublished = (context: DeliveryContext): readonly Diagnosis[] =>
  firstOf(
    destinationReasons(context),
    entitlementReasons(context),
    workerReasons(context, "publications"),
    attemptReasons(context),
    [queueReason(context, "published")],
  );

const reasonsByState: Readonly<Record<DeliveryState, (context: DeliveryContext) => readonly Diagnosis[]>> = {
  queued: waitsToBeBuilt,
  building: (context) => firstOf(entitlementReasons(context), claimReasons(context)),
  sealed: waitsToBePublished,
  publishing: (context) => firstOf(destinationReasons(context), claimReasons(context)),
  complete: ({ operated: { delivery } }) => [
    sound(
      delivery.mode === "push"
        ? "it is complete, in the customer's bucket"
        : `it is complete; the customer may fetch it until ${new Date(delivery.expires).toISOString()}`,
    ),
  ],
  expired: ended,
  purged: ended,
  failed: ({ operated: { delivery } }) => [failure(delivery, "it has failed")],
  canceled: canceledReasons,
};

function ended({ operated: { delivery } }: DeliveryContext): readonly Diagnosis[] {
  return [
    sound(`its time ended on ${new Date(delivery.expires).toISOString()}: the customer asks for another one`),
  ];
}

function canceledReasons(context: DeliveryContext): readonly Diagnosis[] {
  const { delivery } = context.operated;
  const canceled = failure(delivery, "it was canceled");
  const isForEntitlement = delivery.code === "entitlement_changed" || delivery.code === "capability_required";
  if (!isForEntitlement) return [canceled];
  return [{ ...canceled, says: `${canceled.says}. ${entitlementText(context)}` }];
}

const failure = (delivery: Delivery, says: string): Diagnosis =>
  mend(
    `${says}: ${codeText(delivery.code ?? "build_failed")}`,
    remedyOf(delivery.code ?? "build_failed", delivery),
  );

/** Returns the first list that has a reason to mend or to know; later ones are of no effect until that is mended. */
const firstOf = (...lists: readonly (readonly Diagnosis[])[]): readonly Diagnosis[] =>
  lists.find((reasons) => reasons.length > 0) ?? [];

/** Returns the entitlement that a delivery was asked for under, and the present one, as a sentence. */
function entitlementText({ operated: { delivery }, entitlement }: DeliveryContext): string {
  const before = `It was asked for under version ${delivery.entitlementVersion} of the entitlement of ${delivery.customer}`;
  const { is, version, sentence } = entitlement;
  if (version === null) return `${before}, which has been removed`;
  if (is === "none") return `${before}; version ${version} is installed, and ${sentence}`;
  return is === "other"
    ? `${before}; version ${version} is in force, and grants something else`
    : `${before}; version ${version} is in force, and grants the same again`;
}

function entitlementReasons(context: DeliveryContext): readonly Diagnosis[] {
  const { operated, entitlement } = context;
  if (entitlement.is === "same" || operated.delivery.committed !== null) return [];
  return [
    mend(
      `a worker will cancel it. ${entitlementText(context)}`,
      remedyOf("entitlement_changed", operated.delivery),
    ),
  ];
}

function destinationReasons({ operated: { delivery }, destination }: DeliveryContext): readonly Diagnosis[] {
  if (destination === undefined || destination.state === "active") return [];
  const { id, bucket, prefix, state, failure: reason } = destination;
  const because = reason === null ? "" : `: ${codeText(reason)}`;
  return [
    mend(
      `its destination ${id} (s3://${bucket}/${prefix}) is \`${state}\`${because}`,
      remedyOf("destination_not_active", delivery),
    ),
  ];
}

function workerReasons({ operated, workers, config }: DeliveryContext, kind: WorkKind): readonly Diagnosis[] {
  if (workers.some(({ work }) => work.includes(kind))) return [];
  const verb = kind === "deliveries" ? "builds" : "publishes";
  const none = workers.length === 0 ? "no worker runs" : `no worker that runs ${verb} deliveries`;
  return [mend(`${none}, and ${aheadText(operated)}`, commandFor(kind, config))];
}

const aheadText = ({ ahead }: OperatedDelivery): string =>
  ahead === 0 ? "it is the next one" : `${ahead} ${ahead === 1 ? "delivery is" : "deliveries are"} before it`;

/** Returns the failed attempt that a waiting delivery has behind it. */
function attemptReasons({ operated }: DeliveryContext): readonly Diagnosis[] {
  const { delivery, fault, due, now } = operated;
  const code = fault ?? delivery.code;
  if (code === null) return [];
  const next = due <= now ? "the next one is due" : `the next one is due ${relativeTime(due, now)}`;
  return [
    mend(
      `${counted(delivery.attempts, "attempt")} failed, at last of ${codeText(code)}; ${next}`,
      remedyOf(code, { ...delivery, subscription: null }),
    ),
  ];
}

function queueReason({ operated, claimed }: DeliveryContext, verb: "built" | "published"): Diagnosis {
  const state = verb === "built" ? "building" : "publishing";
  const busy = claimed.filter((one) => one.state === state);
  const others = busy.map(({ worker, id, customer }) => `${worker} has ${id} of ${customer}`).join(", ");
  const now = others === "" ? "the workers are free" : others;
  return sound(`it waits to be ${verb}: ${aheadText(operated)}; ${now}`);
}

/** Returns how far the worker of a claimed delivery is. */
function claimReasons({ operated, workers, config }: DeliveryContext): readonly Diagnosis[] {
  const { delivery, worker, due, now, claimed } = operated;
  const isBuilding = delivery.state === "building";
  const verb = isBuilding ? "builds" : "publishes";
  const since = claimed === null ? "" : ` since ${relativeTime(claimed, now)}`;
  const known = workers.some(({ name }) => name === worker);
  if (due < now || !known) {
    const until = due < now ? "its lease has ended" : `its lease ends ${relativeTime(due, now)}`;
    const kind = isBuilding ? "deliveries" : "publications";
    const isServed = workers.some(({ work }) => work.includes(kind));
    const says = `its worker ${worker} ${known ? "does not renew its lease" : "has left no heartbeat"}; ${until}`;
    return isServed
      ? [warn(`${says}, and another one takes over then`, `read the log of ${worker}`)]
      : [mend(`${says}, and no other worker runs`, commandFor(kind, config))];
  }
  const says = `${worker} ${verb} it${since}: ${progressText(operated)}`;
  const isSlow = claimed !== null && now - claimed > slowAfter && operated.sinceClaim.parts === 0;
  return isSlow
    ? [warn(`${says}, without a part in the last 10 minutes`, `read the log of ${worker}`)]
    : [sound(says)];
}

/** Returns the parts that are finished, and the rate since the claim. */
function progressText({ finished, ...operated }: OperatedDelivery): string {
  const done = `${counted(finished.parts, "part")} with ${counted(finished.rows, "row")} finished`;
  const rate = rateOf(operated);
  return rate === null ? done : `${done}, ${number(rate.rows)} rows/s, ${(rate.bytes / 1e6).toFixed(1)} MB/s`;
}

/** Rows and bytes per second since the delivery was claimed; null if no part was finished since. */
export function rateOf({
  claimed,
  now,
  sinceClaim,
}: Pick<OperatedDelivery, "claimed" | "now" | "sinceClaim">): {
  readonly rows: number;
  readonly bytes: number;
} | null {
  if (claimed === null || sinceClaim.parts === 0 || now <= claimed) return null;
  const seconds = (now - claimed) / 1000;
  return { rows: Math.round(sinceClaim.rows / seconds), bytes: Math.round(sinceClaim.bytes / seconds) };
}

/** Returns what is wrong with the pointers in a bucket; empty if nothing is. Deliveries are complete all the same. */
export function pointerReasons(destination: Destination | undefined): readonly Diagnosis[] {
  if (destination === undefined || destination.pointerDenied === null) return [];
  const since = new Date(destination.pointerDenied).toISOString();
  return [
    warn(
      `${deliveryErrors.pointer_denied.message} (\`pointer_denied\` since ${since}). Deliveries are complete, but who reads the bucket by the pointer reads none or an old one`,
      `have the customer correct the policy of its bucket, as docs/push-onboarding.md has it, then \`cadastre destination check ${destination.id}\``,
    ),
  ];
}

/** Returns why a subscription creates no delivery; empty if it does. */
export function subscriptionReasons(
  subscription: Subscription | undefined,
  delivery?: Pick<Delivery, "id">,
): readonly Diagnosis[] {
  if (subscription === undefined) return [];
  const { id, customer, name, state, code, destination } = subscription;
  const which = `its subscription \`${name}\``;
  if (state === "paused")
    return [
      mend(`${delivery === undefined ? "it" : which} is paused`, `\`cadastre subscription resume ${id}\``),
    ];
  if (state !== "suspended") return [];
  const reason = code ?? "build_failed";
  return [
    mend(
      `${delivery === undefined ? "it" : which} is suspended, of ${codeText(reason)}`,
      remedyOf(reason, { id: delivery?.id ?? id, customer, destination, subscription: id }),
    ),
  ];
}
