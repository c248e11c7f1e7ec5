import { asTyped } from "@cadastre/client/terminal";
import { type Delivery, type OperatedDelivery, pinnedProfile } from "@cadastre/delivery";
import type { Registry } from "../../data/registry.ts";
import { deliveryView, type Prefixes, toInstant, toInstantOrNull } from "../../delivery/delivery-view.ts";
import { withServiceRegistry } from "../data.ts";
import type { Diagnosis } from "../doctor/diagnosis.ts";
import { printResult } from "../outcome.ts";
import { readContext } from "./delivery-context.ts";
import {
  type ListFlags,
  membersText,
  operatorFilter,
  printListing,
  requireObject,
  sinceText,
} from "./list-options.ts";
import { rateOf, reasonsOf } from "./reasons.ts";

/** Returns the prefixes of the destinations of deliveries. */
export async function prefixesOf(
  { operations }: Pick<Registry, "operations">,
  deliveries: readonly Pick<Delivery, "destination">[],
): Promise<Prefixes> {
  const ids = new Set(deliveries.flatMap(({ destination }) => destination ?? []));
  const prefixes = new Map<string, string>();
  for (const id of ids) prefixes.set(id, (await operations.destination(id))?.prefix ?? "");
  return prefixes;
}

/** `cadastre delivery list` */
export const listDeliveries = (flags: ListFlags & { readonly subscription?: string }) =>
  withServiceRegistry(async (registry) => {
    const { subscription } = flags;
    const found = await registry.operations.deliveries({ ...operatorFilter(flags), subscription });
    const prefixes = flags.json ? await prefixesOf(registry, found) : new Map<string, string>();
    const now = Date.now();
    printListing(
      {
        heads: [
          "ID",
          "CUSTOMER",
          "DOMAIN",
          "KIND",
          "PLACE",
          "MODE",
          "STATUS",
          "REASON",
          "CREATED",
          "COMPLETED",
        ],
        rows: found.map((one) => [
          one.id,
          one.customer,
          one.domain,
          one.kind,
          placeText(one),
          one.mode,
          one.state,
          one.code ?? "",
          sinceText(one.created, now),
          sinceText(one.completed, now),
        ]),
        objects: found.map((one) => ({ customer: one.customer, ...deliveryView(one, prefixes) })),
        none: "No such deliveries.",
      },
      flags,
    );
  });

/** Returns generation and sequence of a delivery of a subscription; a dash for an export. */
const placeText = ({ subscription, generation, sequence }: Delivery): string =>
  subscription === null ? "–" : `${generation}.${sequence}`;

/** `cadastre delivery show` */
export const showDelivery = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async (registry, folder, config) => {
    const operated = requireObject(await registry.operations.delivery(id), "delivery", id);
    const context = await readContext(operated, registry, folder, config);
    const reasons = reasonsOf(context);
    const [evidence] = await registry.operations.acknowledgements({ delivery: id, limit: 1 });
    const references = evidence?.references ?? [];
    if (json) {
      const prefixes = await prefixesOf(registry, [operated.delivery]);
      const acknowledgements = references.map(({ reference, at }) => ({ reference, at: toInstant(at) }));
      const shown = { ...operatedJson(operated, prefixes), acknowledgements, reasons };
      return printResult(JSON.stringify(shown, null, 2));
    }
    printResult(membersText(membersOfDelivery(operated, references.length)));
    printResult(`\n${diagnosesText(reasons)}`);
  });

/** Formats reasons, each with the command that mends it below it. */
export const diagnosesText = (reasons: readonly Diagnosis[]): string =>
  reasons
    .map(({ says, remedy }) => {
      const sentence = `${says.charAt(0).toUpperCase()}${says.slice(1)}.`;
      return remedy === undefined ? sentence : `${sentence}\n→ ${asTyped(remedy)}`;
    })
    .join("\n");

const operatedJson = (operated: OperatedDelivery, prefixes: Prefixes) => {
  const { delivery, finished, worker, claimed, due, fault, ahead } = operated;
  return {
    customer: delivery.customer,
    ...deliveryView(delivery, prefixes),
    kind: delivery.kind,
    ...profileOfDelivery(delivery),
    entitlementVersion: delivery.entitlementVersion,
    progress: finished,
    attempts: delivery.attempts,
    lastFault: fault,
    worker,
    claimedAt: toInstantOrNull(claimed),
    dueAt: toInstant(due),
    ahead,
    rate: rateOf(operated),
  };
};

function profileOfDelivery({ pinned }: Pick<Delivery, "pinned">) {
  const { id, filter = null } = pinnedProfile(pinned);
  return { profile: id, filter };
}

function membersOfDelivery({ delivery, finished, now, ...operated }: OperatedDelivery, references: number) {
  return {
    id: delivery.id,
    customer: delivery.customer,
    domain: delivery.domain,
    kind: delivery.kind,
    ...profileOfDelivery(delivery),
    place: placeText(delivery),
    subscription: delivery.subscription,
    mode: delivery.mode,
    destination: delivery.destination,
    "entitlement version": delivery.entitlementVersion,
    status: delivery.state,
    reason: delivery.code,
    worker: operated.worker,
    attempts: delivery.attempts,
    parts: finished.parts,
    rows: finished.rows,
    bytes: finished.bytes,
    created: sinceText(delivery.created, now),
    completed: sinceText(delivery.completed, now),
    expires: sinceText(delivery.expires, now),
    acknowledgements: references,
  };
}
