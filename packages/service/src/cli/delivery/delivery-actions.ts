import type { ConfirmFlags } from "@cadastre/client/terminal";
import type { Delivery } from "@cadastre/delivery";
import type { AuditAction } from "../../audit/actions.ts";
import { recordableId } from "../../audit/audit-trail.ts";
import type { Registry } from "../../data/registry.ts";
import { deliveryView } from "../../delivery/delivery-view.ts";
import { audited, auditOf } from "../audited.ts";
import { confirmDeletion } from "../confirmed.ts";
import { withServiceRegistry } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import { prefixesOf } from "./delivery-text.ts";
import { type ListFlags, requireObject } from "./list-options.ts";

type Output = Pick<ListFlags, "json">;

/** Changes a delivery, records that in the audit trail, and prints the result. */
const changeDelivery = (
  id: string,
  action: AuditAction,
  change: (registry: Registry, delivery: Delivery) => Promise<Delivery>,
  { json, told }: { readonly json: true | undefined; readonly told: (delivery: Delivery) => string },
) =>
  withServiceRegistry(async (registry, folder, config) => {
    const changed = await audited(
      { action, object: { id: recordableId(id) }, ...auditOf(folder, config) },
      async (know) => {
        const { delivery } = requireObject(await registry.operations.delivery(id), "delivery", id);
        know({ customer: delivery.customer });
        return change(registry, delivery);
      },
    );
    if (!json) return printMessage(told(changed));
    const view = deliveryView(changed, await prefixesOf(registry, [changed]));
    printResult(JSON.stringify({ customer: changed.customer, ...view }, null, 2));
  });

/** `cadastre delivery cancel` */
export const cancelDelivery = (id: string, { yes, json }: Output & ConfirmFlags) =>
  changeDelivery(
    id,
    "export.cancel",
    async ({ deliveries }, { customer, domain }) => {
      await confirmDeletion({ yes }, `This cancels the delivery ${id} of ${domain} to ${customer} for good`);
      return deliveries.cancel(customer, id, "canceled_by_operator");
    },
    { json, told: ({ customer }) => `The delivery ${id} of ${customer} is canceled.` },
  );

/** `cadastre delivery retry` */
export const retryDelivery = (id: string, { json }: Output) =>
  changeDelivery(id, "export.retry", ({ operations }) => operations.retry(id, Date.now()), {
    json,
    told: ({ customer, state }) =>
      `The delivery ${id} of ${customer} is \`${state}\` and due: \`cadastre delivery show ${id}\` tells how far it is.`,
  });
