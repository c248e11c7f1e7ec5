import { Command } from "commander";
import type { Connection } from "../http/connection.ts";
import {
  changeRemoteSubscription,
  findRemoteSubscription,
  listRemoteDeliveries,
  listRemoteSubscriptions,
  nextDueAt,
  type RemoteChange,
  type RemoteSubscription,
} from "../subscriptions/subscriptions.ts";
import { type ConfirmFlags, yesOption } from "../terminal/confirm.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printable, printMessage, printResult } from "../terminal/output.ts";
import { textTable } from "../terminal/text-table.ts";
import { relativeTime } from "../terminal/times.ts";
import { cadenceText } from "./cadence.ts";
import { requireConfirmed } from "./confirmed.ts";
import { type ConnectionFlags, connected, jsonOption, parseCount, withConnection } from "./options.ts";

type Flags = ConnectionFlags & { readonly json?: true };

/** `cadastre-client subscriptions` */
export const subscriptionsCommand = (): Command =>
  new Command("subscriptions")
    .description("List your subscriptions, look at them, pause, resume, reset and cancel them.")
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(deliveriesCommand())
    .addCommand(changeCommand("pause", "Create no delivery until it is resumed; one in progress continues."))
    .addCommand(
      changeCommand("resume", "Resume a paused or suspended subscription: a delivery is due at once."),
    )
    .addCommand(changeCommand("reset", "Begin a new generation: its seed replaces the whole copy."))
    .addCommand(cancelCommand());

/** Adds the options of a command of `subscriptions`. */
const withOptions = (command: Command): Command => withConnection(command.addOption(jsonOption()));

const idArgument = ["<subscription>", "id or name of the subscription"] as const;

const asked = <T>(work: () => Promise<T>): Promise<T> => withElapsed("asking the service", work);

const listCommand = (): Command =>
  withOptions(
    new Command("list")
      .description("List your subscriptions, the last created first.")
      .option("--all", "canceled ones too"),
  ).action((flags: Flags & { readonly all?: true }) =>
    connected(flags, async (connection) => {
      const listed = await asked(() => listRemoteSubscriptions(connection));
      const shown = listed.filter(({ status }) => flags.all || status !== "canceled");
      if (flags.json) return printResult(JSON.stringify(shown));
      if (shown.length === 0)
        return printMessage("You have no subscriptions: `cadastre-client subscribe` creates one.");
      const heads = ["NAME", "DOMAIN", "EVERY", "MODE", "STATUS", "NEXT DUE", "ID"];
      printResult(
        textTable(
          heads,
          shown.map((one) => rowOf(one, Date.now())),
        ),
      );
    }),
  );

const rowOf = (one: RemoteSubscription, now: number): readonly string[] => [
  printable(one.name),
  one.domain,
  cadenceText(one.cadenceSeconds),
  one.deliveryMode,
  statusText(one),
  timeText(nextDueAt(one), now),
  one.id,
];

/** Returns the status with the reason of a suspension. */
export const statusText = ({ status, failure }: Pick<RemoteSubscription, "status" | "failure">): string =>
  failure === null ? status : `${status} (${failure.code})`;

/** Returns an instant for people; a dash if there is none. */
export const timeText = (instant: string | null | undefined, now: number): string =>
  typeof instant === "string" ? relativeTime(Date.parse(instant), now) : "–";

const showCommand = (): Command =>
  withOptions(new Command("show").description("Show a subscription.").argument(...idArgument)).action(
    (idOrName: string, flags: Flags) =>
      connected(flags, async (connection) => {
        const found = await asked(() => findRemoteSubscription(connection, idOrName));
        printResult(flags.json ? JSON.stringify(found) : subscriptionText(found));
      }),
  );

function subscriptionText(subscription: RemoteSubscription): string {
  const now = Date.now();
  const lines = {
    id: subscription.id,
    name: subscription.name,
    domain: subscription.domain,
    profile: subscription.profileId,
    filter: subscription.filter,
    fields: subscription.select?.join(", ") ?? null,
    every: cadenceText(subscription.cadenceSeconds),
    minute: subscription.preferredMinuteOfDay,
    mode: subscription.deliveryMode,
    destination: subscription.destinationId,
    "when empty": subscription.emptyDeliveryBehavior,
    status: statusText(subscription),
    "next delivery": `${subscription.generation}.${subscription.next_sequence}`,
    "next due": timeText(nextDueAt(subscription), now),
    created: timeText(subscription.created_at, now),
  };
  const rows = Object.entries(lines).map(([name, value]) => [
    name,
    value === null ? "–" : printable(String(value)),
  ]);
  return textTable(["MEMBER", "VALUE"], rows);
}

const deliveriesCommand = (): Command =>
  withOptions(
    new Command("deliveries")
      .description("List the deliveries of a subscription, the last one first.")
      .argument(...idArgument)
      .option("--limit <count>", "number of deliveries, at most 500", parseCount, 20),
  ).action((idOrName: string, flags: Flags & { readonly limit: number }) =>
    connected(flags, async (connection) => {
      const { id } = await asked(() => findRemoteSubscription(connection, idOrName));
      const listed = await asked(() => listRemoteDeliveries(connection, id, Math.min(500, flags.limit)));
      if (flags.json) return printResult(JSON.stringify(listed));
      if (listed.length === 0) return printMessage("It has no deliveries yet.");
      const now = Date.now();
      printResult(
        textTable(
          ["PLACE", "STATUS", "CREATED", "COMPLETED", "ACKNOWLEDGED", "ID"],
          listed.map((one) => [
            `${one.generation}.${one.sequence}`,
            statusText(one),
            timeText(one.createdAt, now),
            timeText(one.completedAt, now),
            timeText(one.acknowledgedAt, now),
            one.id,
          ]),
        ),
      );
    }),
  );

const changeCommand = (change: RemoteChange, description: string): Command =>
  withOptions(new Command(change).description(description).argument(...idArgument)).action(
    (idOrName: string, flags: Flags) =>
      connected(flags, async (connection) => {
        const found = await asked(() => findRemoteSubscription(connection, idOrName));
        await changeShown(connection, found, change, flags);
      }),
  );

const cancelCommand = (): Command =>
  withOptions(
    new Command("cancel")
      .description("End a subscription for good. Complete deliveries can still be fetched.")
      .argument(...idArgument)
      .addOption(yesOption()),
  ).action((idOrName: string, flags: Flags & ConfirmFlags) =>
    connected(flags, async (connection) => {
      const found = await asked(() => findRemoteSubscription(connection, idOrName));
      const { name, domain } = found;
      if (found.status !== "canceled")
        await requireConfirmed(
          flags,
          `This ends the subscription \`${printable(name)}\` of ${domain} for good`,
        );
      await changeShown(connection, found, "cancel", flags);
    }),
  );

async function changeShown(
  connection: Connection,
  { id }: RemoteSubscription,
  change: RemoteChange,
  { json }: Flags,
): Promise<void> {
  const changed = await asked(() => changeRemoteSubscription(connection, id, change));
  if (json) return printResult(JSON.stringify(changed));
  const next = nextDueAt(changed);
  const due = next === null ? "" : `, next due ${timeText(next, Date.now())}`;
  printMessage(`The subscription \`${printable(changed.name)}\` is ${statusText(changed)}${due}.`);
}
