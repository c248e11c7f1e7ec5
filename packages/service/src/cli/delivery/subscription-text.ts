import { type Subscription, type SubscriptionReach, statusOf } from "@cadastre/delivery";
import { reachView, subscriptionView } from "../../delivery/subscriptions.ts";
import { withServiceRegistry } from "../data.ts";
import { type Diagnosis, mend, sound } from "../doctor/diagnosis.ts";
import { commandFor } from "../doctor/worker-checks.ts";
import { printResult } from "../outcome.ts";
import { type DeliveryContext, liveWorkers } from "./delivery-context.ts";
import { diagnosesText } from "./delivery-text.ts";
import {
  type ListFlags,
  membersText,
  operatorFilter,
  printListing,
  requireObject,
  sinceText,
} from "./list-options.ts";
import { pointerReasons, subscriptionReasons } from "./reasons.ts";

/** `cadastre subscription list` */
export const listSubscriptions = (flags: ListFlags) =>
  withServiceRegistry(async ({ operations, subscriptions }) => {
    const found = await operations.subscriptions(operatorFilter(flags, ["active", "suspended", "paused"]));
    const reached: SubscriptionReach[] = [];
    for (const { id } of found) reached.push(await subscriptions.reach(id));
    const now = Date.now();
    const none: SubscriptionReach = { delivered: null, acknowledged: null };
    printListing(
      {
        heads: [
          "ID",
          "CUSTOMER",
          "NAME",
          "DOMAIN",
          "MODE",
          "STATUS",
          "REASON",
          "NEXT DUE",
          "DELIVERED",
          "ACKNOWLEDGED",
        ],
        rows: found.map((one, nth) => {
          const { delivered, acknowledged } = reached[nth] ?? none;
          return [
            one.id,
            one.customer,
            one.name,
            one.domain,
            one.mode,
            statusOf(one),
            one.code ?? "",
            dueText(one, now),
            reachedText(delivered, now),
            reachedText(acknowledged, now),
          ];
        }),
        objects: found.map((one, nth) => ({
          customer: one.customer,
          ...subscriptionView(one),
          ...reachView(reached[nth] ?? none, now),
        })),
        none: "No such subscriptions.",
      },
      flags,
    );
  });

const isWaiting = ({ state }: Subscription): boolean => state === "active";

const dueText = (subscription: Subscription, now: number): string =>
  isWaiting(subscription) ? sinceText(subscription.due, now) : "–";

/** Returns the place of a delivery, and the age of its records. */
const reachedText = (reached: SubscriptionReach["delivered"], now: number): string =>
  reached === null ? "–" : `${reached.generation}.${reached.sequence}, as of ${sinceText(reached.asOf, now)}`;

/** `cadastre subscription show` */
export const showSubscription = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async (registry, _folder, config) => {
    const found = requireObject(await registry.operations.subscription(id), "subscription", id);
    const reach = await registry.subscriptions.reach(id);
    const now = Date.now();
    const workers = await liveWorkers(registry);
    const destination =
      found.destination === null ? undefined : await registry.operations.destination(found.destination);
    const reasons = [
      ...subscriptionReasons(found),
      ...scheduleReasons(found, now, { workers, config }),
      ...pointerReasons(destination),
    ];
    const { customer, delivery, revision } = found;
    if (json) {
      const shown = {
        customer,
        ...subscriptionView(found),
        ...reachView(reach, now),
        delivery,
        revision,
        reasons,
      };
      return printResult(JSON.stringify(shown, null, 2));
    }
    printResult(
      membersText({
        id,
        customer,
        name: found.name,
        domain: found.domain,
        profile: found.profile,
        filter: found.narrowing?.filter ?? null,
        fields: found.narrowing?.select?.join(", ") ?? null,
        mode: found.mode,
        destination: found.destination,
        "every, seconds": found.cadenceSeconds,
        status: statusOf(found),
        reason: found.code,
        "next delivery": `${found.generation}.${found.sequence}`,
        "next due": dueText(found, now),
        "in progress": delivery,
        delivered: reachedText(reach.delivered, now),
        acknowledged: reachedText(reach.acknowledged, now),
        created: sinceText(found.created, now),
      }),
    );
    printResult(`\n${diagnosesText(reasons)}`);
  });

/** Returns what a subscription that is active waits for. */
function scheduleReasons(
  subscription: Subscription,
  now: number,
  { workers, config }: Pick<DeliveryContext, "workers" | "config">,
): readonly Diagnosis[] {
  const { state, delivery, due } = subscription;
  if (state === "canceled") return [sound("it has ended")];
  if (state !== "active") return [];
  if (delivery !== null)
    return [
      sound(
        `its delivery ${delivery} is in progress: \`cadastre delivery show ${delivery}\` tells how far it is`,
      ),
    ];
  if (due !== null && due > now) return [sound(`its next delivery is due ${sinceText(due, now)}`)];
  if (workers.some(({ work }) => work.includes("deliveries"))) return [sound("its next delivery is due now")];
  return [mend("its next delivery is due, and no worker runs", commandFor("deliveries", config))];
}
