import { type OperatedWebhook, webhookStates } from "@cadastre/delivery";
import { Command } from "commander";
import { recordableId } from "../../audit/audit-trail.ts";
import { toInstant, toInstantOrNull } from "../../delivery/delivery-view.ts";
import { webhookView } from "../../delivery/webhooks.ts";
import { audited, auditOf } from "../audited.ts";
import { withServiceRegistry } from "../data.ts";
import { printMessage, printResult } from "../outcome.ts";
import {
  type ListFlags,
  machineOption,
  membersText,
  operatorFilter,
  printListing,
  requireObject,
  sinceText,
  withListOptions,
} from "./list-options.ts";
import { codeText } from "./remedies.ts";

const idArgument = ["<webhook>", "id of the webhook, as `webhook list` shows it"] as const;

/** `cadastre webhook` */
export const webhookCommand = (): Command =>
  new Command("webhook")
    .description("See the webhooks of all customers and what waits for them, and have one send again.")
    .addCommand(
      withListOptions(
        new Command("list").description("List webhooks, the last created first."),
        webhookStates,
      ).action(listWebhooks),
    )
    .addCommand(
      new Command("show")
        .description("Show a webhook, and why its messages do not arrive.")
        .argument(...idArgument)
        .addOption(machineOption())
        .action(showWebhook),
    )
    .addCommand(
      new Command("resume")
        .description("Send the waiting messages of a webhook now. One that is disabled is active again.")
        .argument(...idArgument)
        .addOption(machineOption())
        .action(resumeWebhook),
    );

const operatedWebhookView = ({ webhook, waiting, oldest, due, attempts }: OperatedWebhook) => ({
  customer: webhook.customer,
  ...webhookView(webhook),
  messages_waiting: waiting,
  oldest_message_at: toInstantOrNull(oldest),
  next_attempt_at: waiting === 0 ? null : toInstant(due),
  failed_attempts: attempts,
});

/** Returns the origin of a webhook's URL: the rest of it is the customer's. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "–");

const listWebhooks = (flags: ListFlags) =>
  withServiceRegistry(async ({ operations }) => {
    const found = await operations.webhooks(operatorFilter(flags));
    const now = Date.now();
    printListing(
      {
        heads: ["ID", "CUSTOMER", "HOST", "STATUS", "REASON", "WAITING", "OLDEST", "LAST ATTEMPT"],
        rows: found.map(({ webhook, waiting, oldest }) => [
          webhook.id,
          webhook.customer,
          originOf(webhook.url),
          webhook.state,
          webhook.failure ?? "",
          String(waiting),
          sinceText(oldest, now),
          sinceText(webhook.lastAttempt, now),
        ]),
        objects: found.map(operatedWebhookView),
        none: "No such webhooks.",
      },
      flags,
    );
  });

const showWebhook = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async ({ operations }) => {
    const found = requireObject(await operations.webhook(id), "webhook", id);
    if (json) return printResult(JSON.stringify(operatedWebhookView(found), null, 2));
    const { webhook, waiting, oldest, due, attempts } = found;
    const now = Date.now();
    printResult(
      membersText({
        id,
        customer: webhook.customer,
        host: originOf(webhook.url),
        events: webhook.events.join(", "),
        status: webhook.state,
        reason: webhook.failure === null ? null : codeText(webhook.failure),
        "last status": webhook.lastStatus,
        "last attempt": sinceText(webhook.lastAttempt, now),
        "messages waiting": waiting,
        "oldest message": sinceText(oldest, now),
        "failed attempts": attempts,
        "next attempt": waiting === 0 ? null : sinceText(due, now),
        created: sinceText(webhook.created, now),
      }),
    );
  });

const resumeWebhook = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async ({ operations }, folder, config) => {
    const object = { id: recordableId(id) };
    const action = { action: "webhook.resume", object, ...auditOf(folder, config) } as const;
    const { state, customer } = await audited(action, async (know) => {
      const { webhook } = requireObject(await operations.webhook(id), "webhook", id);
      know({ customer: webhook.customer });
      return operations.resumeWebhook(id, Date.now());
    });
    const found = requireObject(await operations.webhook(id), "webhook", id);
    if (json) return printResult(JSON.stringify(operatedWebhookView(found), null, 2));
    printMessage(
      `The webhook ${id} of ${customer} is \`${state}\`; messages that wait for it: ${found.waiting}.`,
    );
  });
