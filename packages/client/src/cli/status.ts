import { Command } from "commander";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { type CopyState, readCopyState } from "../load/copy-state.ts";
import { deliveriesBehind, lastAcknowledged, lastComplete } from "../subscriptions/lag.ts";
import {
  listRemoteDeliveries,
  listRemoteSubscriptions,
  type RemoteDelivery,
  type RemoteSubscription,
} from "../subscriptions/subscriptions.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printable, printMessage, printResult } from "../terminal/output.ts";
import { textTable } from "../terminal/text-table.ts";
import {
  type ConnectionFlags,
  collect,
  connected,
  jsonOption,
  type TableFlags,
  withKey,
  withPatience,
  withTables,
} from "./options.ts";
import { statusText, timeText } from "./subscriptions.ts";

type Flags = Omit<ConnectionFlags, "url"> &
  TableFlags & {
    readonly url?: string;
    readonly into: readonly string[];
    readonly json?: true;
  };

/** A subscription as the service knows it. */
type Served = { readonly subscription: RemoteSubscription; readonly deliveries: readonly RemoteDelivery[] };

/** A local copy, and what it has loaded. */
type Copy = { readonly target: string; readonly states: readonly CopyState[] };

/** `cadastre-client status` */
export const statusCommand = (): Command =>
  withTables(
    withPatience(
      withKey(
        new Command("status")
          .description(
            "Show, for each subscription and local copy, what was delivered, loaded and acknowledged last, the lag, and when the next delivery is due. Changes nothing.",
          )
          .option("--url <origin>", "address of the service, such as https://listings.example")
          .option(
            "--into <target>",
            "a copy: a folder, sqlite:<file>, duckdb:<file>, postgres: or postgres://… (repeatable)",
            collect,
            [],
          ),
      ),
    ),
  )
    .addOption(jsonOption())
    .action(async (flags: Flags) => {
      const { url, into, json } = flags;
      if (url === undefined && into.length === 0) throw new ClientError("url_or_copy");
      const copies: Copy[] = [];
      for (const target of into)
        copies.push({
          target,
          states: await withElapsed(`reading ${target}`, () => readCopyState(target, flags)),
        });
      const served =
        url === undefined
          ? undefined
          : await connected({ ...flags, url }, (connection) =>
              withElapsed("asking the service", () => servedOf(connection)),
            );
      const now = Date.now();
      const lines = linesOf(served, copies, now);
      if (json) return printResult(JSON.stringify(lines));
      if (lines.length === 0)
        return printMessage(
          served === undefined ? "Nothing of a subscription was loaded here." : "You have no subscriptions.",
        );
      printResult(
        textTable(
          heads,
          lines.map((line) => rowOf(line, now)),
        ),
      );
    });

async function servedOf(connection: Connection): Promise<readonly Served[]> {
  const listed = await listRemoteSubscriptions(connection);
  const served: Served[] = [];
  for (const subscription of listed.filter(({ status }) => status !== "canceled"))
    served.push({ subscription, deliveries: await listRemoteDeliveries(connection, subscription.id) });
  return served;
}

type Place = Pick<RemoteDelivery, "generation" | "sequence"> & { readonly deliveryId: string };

/** A subscription and one copy of it. */
type StatusLine = {
  readonly subscriptionId: string;
  /** Null if the service was not asked, or has no such subscription that is not canceled. */
  readonly subscription: RemoteSubscription | null;
  readonly delivered: (Place & { readonly completedAt: string | null }) | null;
  readonly acknowledged: (Place & { readonly acknowledgedAt: string }) | null;
  readonly nextDueAt: string | null;
  /** Null if no copy was named. */
  readonly copy: {
    readonly target: string;
    /** Null if nothing of the subscription was loaded. */
    readonly loaded: (Place & Pick<CopyState, "asOf" | "loadedAt">) | null;
    /** Complete deliveries that are not loaded; null if the service was not asked, or does not know the subscription. */
    readonly deliveriesBehind: number | null;
    /** Age of the copy's data in seconds. */
    readonly dataAgeSeconds: number | null;
  } | null;
};

function linesOf(
  served: readonly Served[] | undefined,
  copies: readonly Copy[],
  now: number,
): readonly StatusLine[] {
  const known = (served ?? []).flatMap((one) =>
    copies.length === 0
      ? [lineOf(one.subscription.id, one, null)]
      : copies.map((copy) => lineOf(one.subscription.id, one, copyLine(copy, one.subscription.id, one, now))),
  );
  const ids = new Set(known.map(({ subscriptionId }) => subscriptionId));
  // Copies of subscriptions that the service does not list. One-off exports have no subscription.
  const others = copies.flatMap((copy) =>
    copy.states
      .filter(({ stream, deliveryId }) => stream !== deliveryId && !ids.has(stream))
      .map(({ stream }) => lineOf(stream, undefined, copyLine(copy, stream, undefined, now))),
  );
  return [...known, ...others];
}

function lineOf(subscriptionId: string, served: Served | undefined, copy: StatusLine["copy"]): StatusLine {
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
    nextDueAt: served?.subscription.next_due_at ?? null,
    copy,
  };
}

const placeOf = ({ id, generation, sequence }: RemoteDelivery): Place => ({
  deliveryId: id,
  generation,
  sequence,
});

function copyLine(
  { target, states }: Copy,
  id: string,
  served: Served | undefined,
  now: number,
): NonNullable<StatusLine["copy"]> {
  const state = states.find(({ stream }) => stream === id);
  const { deliveryId = "", generation = 0, sequence = 0, asOf = "", loadedAt = "" } = state ?? {};
  return {
    target,
    loaded: state === undefined ? null : { deliveryId, generation, sequence, asOf, loadedAt },
    deliveriesBehind: served === undefined ? null : deliveriesBehind(served.deliveries, state),
    dataAgeSeconds: state === undefined ? null : Math.round((now - Date.parse(asOf)) / 1000),
  };
}

const heads = ["SUBSCRIPTION", "STATUS", "DELIVERED", "COPY", "LOADED", "LAG", "ACKNOWLEDGED", "NEXT DUE"];

const rowOf = ({ subscriptionId, subscription, ...line }: StatusLine, now: number): readonly string[] => [
  subscription === null ? subscriptionId : printable(subscription.name),
  subscription === null ? "–" : statusText(subscription),
  placeText(line.delivered, line.delivered?.completedAt, now),
  line.copy?.target ?? "–",
  placeText(line.copy?.loaded, line.copy?.loaded?.loadedAt, now),
  lagText(line.copy, now),
  placeText(line.acknowledged, line.acknowledged?.acknowledgedAt, now),
  timeText(line.nextDueAt, now),
];

const placeText = (
  place: Pick<Place, "generation" | "sequence"> | null | undefined,
  at: string | null | undefined,
  now: number,
): string => (place ? `${place.generation}.${place.sequence} ${timeText(at, now)}` : "–");

function lagText(copy: StatusLine["copy"], now: number): string {
  if (copy === null) return "–";
  const { loaded, deliveriesBehind: behind } = copy;
  const data = loaded === null ? "" : `, data of ${timeText(loaded.asOf, now)}`;
  if (behind === null) return data.slice(2) || "–";
  return `${behind === 0 ? "none" : `${behind} ${behind === 1 ? "delivery" : "deliveries"}`}${data}`;
}
