import { type ConfirmFlags, yesOption } from "@cadastre/client/terminal";
import { changeSubscription, type SubscriptionChange, statusOf } from "@cadastre/delivery";
import { Command } from "commander";
import type { AuditAction } from "../../audit/actions.ts";
import { recordableId } from "../../audit/audit-trail.ts";
import { subscriptionView } from "../../delivery/subscriptions.ts";
import { audited, auditOf } from "../audited.ts";
import { confirmDeletion } from "../confirmed.ts";
import { withServiceRegistry } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import { type ListFlags, machineOption, requireObject, withListOptions } from "./list-options.ts";
import { listSubscriptions, showSubscription } from "./subscription-text.ts";

const idArgument = ["<subscription>", "id of the subscription, as `subscription list` shows it"] as const;

/** States by which subscriptions are listed. */
const states = ["active", "suspended", "paused", "canceled"];

/** `cadastre subscription` */
export const subscriptionCommand = (): Command =>
  new Command("subscription")
    .description(
      "See the subscriptions of all customers, how far each is, and pause, resume, reset or end one.",
    )
    .addCommand(
      withListOptions(
        new Command("list").description(
          "List subscriptions, the last created first; canceled ones by --status.",
        ),
        states,
      ).action(listSubscriptions),
    )
    .addCommand(
      new Command("show")
        .description("Show a subscription, how far it has come, and why it delivers nothing.")
        .argument(...idArgument)
        .addOption(machineOption())
        .action(showSubscription),
    )
    .addCommand(changeCommand("pause", "Create no delivery until it is resumed; one in progress continues."))
    .addCommand(
      changeCommand("resume", "Resume a paused or suspended subscription: a delivery is due at once."),
    )
    .addCommand(
      changeCommand(
        "reset",
        "Begin a new generation: its seed replaces the customer's copy.",
        (name) => `This has the whole of the subscription \`${name}\` delivered anew`,
      ),
    )
    .addCommand(
      changeCommand(
        "cancel",
        "End a subscription for good. Complete deliveries can still be fetched.",
        (name) => `This ends the subscription \`${name}\` for good`,
      ),
    );

const auditActionOf = {
  pause: "subscription.pause",
  resume: "subscription.resume",
  reset: "subscription.reset",
  cancel: "subscription.cancel",
} as const satisfies Record<SubscriptionChange, AuditAction>;

/** @param effectOn returns what a change to the subscription of that name does, if it must be confirmed */
function changeCommand(
  change: SubscriptionChange,
  description: string,
  effectOn?: (name: string) => string,
): Command {
  const command = new Command(change).description(description).argument(...idArgument);
  if (effectOn !== undefined) command.addOption(yesOption());
  return command
    .addOption(machineOption())
    .action((id: string, { json, yes }: Pick<ListFlags, "json"> & ConfirmFlags) =>
      withServiceRegistry(async (registry, folder, config) => {
        const action = auditActionOf[change];
        const object = { id: recordableId(id) };
        const changed = await audited({ action, object, ...auditOf(folder, config) }, async (know) => {
          const find = async () =>
            requireObject(await registry.operations.subscription(id), "subscription", id);
          const { customer, name } = await find();
          know({ customer });
          if (effectOn !== undefined)
            await confirmDeletion({ yes }, `${effectOn(name)} (customer ${customer})`);
          return changeSubscription(registry.subscriptions, find, change, {
            clock: Date.now,
            by: "operator",
          });
        });
        const { customer } = changed;
        if (json) return printResult(JSON.stringify({ customer, ...subscriptionView(changed) }, null, 2));
        printMessage(`The subscription ${id} of ${customer} is \`${statusOf(changed)}\`.`);
      }),
    );
}
