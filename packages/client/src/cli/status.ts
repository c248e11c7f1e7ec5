import { Command } from "commander";
import { ClientError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import { readCopyState } from "../load/copy-state.ts";
import { listRemoteDeliveries, listRemoteSubscriptions } from "../subscriptions/subscriptions.ts";
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
import {
  type LocalCopy,
  type ServedSubscription,
  type StatusLine,
  type StatusPlace,
  statusLines,
} from "./status-lines.ts";
import { statusText, timeText } from "./subscriptions.ts";

type Flags = Omit<ConnectionFlags, "url"> &
  TableFlags & {
    readonly url?: string;
    readonly into: readonly string[];
    readonly json?: true;
  };

/** `cadastre-client status` */
export const statusCommand = (): Command =>
  withTables(
    withPatience(
      withKey(
        new Command("status")
          .description(
            "Show, for each local copy and each subscription without one, what was delivered, loaded and acknowledged last, the lag, and when the next delivery is due. Changes nothing.",
          )
          .option("--url <origin>", "address of the service, such as https://listings.example")
          .option(
            "--into <target>",
            "a copy: a folder, parquet:<folder>, sqlite:<file>, duckdb:<file>, postgres: or postgres://… (repeatable)",
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
      const copies: LocalCopy[] = [];
      for (const target of into)
        copies.push(await withElapsed(`reading ${target}`, () => readCopy(target, flags)));
      const [fault, ...others] = copies.flatMap(faultsOf);
      const served =
        url === undefined
          ? undefined
          : await connected({ ...flags, url }, (connection) =>
              withElapsed("asking the service", () => servedOf(connection, copies)),
            ).catch((error: unknown) => {
              // The copies were read first.
              throw fault ?? error;
            });
      const now = Date.now();
      const lines = statusLines(served, copies, now);
      if (json) printResult(JSON.stringify(lines));
      else if (lines.length > 0)
        printResult(
          textTable(
            heads,
            lines.map((line) => rowOf(line, now)),
          ),
        );
      else
        printMessage(
          served === undefined ? "Nothing of a subscription was loaded here." : "You have no subscriptions.",
        );
      if (!json) for (const { code, message } of others) printMessage(`${code}: ${message}`);
      if (fault !== undefined) throw fault;
    });

/** Faults of a copy that its line tells, with the word in its column LAG. */
const faultWords: Readonly<Partial<Record<string, string>>> = {
  copy_missing: "missing",
  copy_damaged: "damaged",
  copy_replaced: "replaced",
  table_foreign: "lost",
  target_failed: "unreadable",
  disk_failed: "unreadable",
};

async function readCopy(target: string, place: TableFlags): Promise<LocalCopy> {
  try {
    return { target, states: await readCopyState(target, place) };
  } catch (error) {
    if (!(error instanceof ClientError) || faultWords[error.code] === undefined) throw error;
    return { target, states: [], fault: error };
  }
}

const faultsOf = ({ fault, states }: LocalCopy): readonly ClientError[] =>
  [fault, ...states.map((state) => state.fault)].filter((one) => one !== undefined);

async function servedOf(
  connection: Connection,
  copies: readonly LocalCopy[],
): Promise<readonly ServedSubscription[]> {
  const held = new Set(copies.flatMap(({ states }) => states.map(({ stream }) => stream)));
  const listed = await listRemoteSubscriptions(connection);
  const served: ServedSubscription[] = [];
  for (const subscription of listed.filter(({ id, status }) => status !== "canceled" || held.has(id)))
    served.push({ subscription, deliveries: await listRemoteDeliveries(connection, subscription.id) });
  return served;
}

const heads = ["SUBSCRIPTION", "STATUS", "DELIVERED", "COPY", "LOADED", "LAG", "ACKNOWLEDGED", "NEXT DUE"];

const rowOf = ({ subscriptionId, subscription, ...line }: StatusLine, now: number): readonly string[] => [
  subscription === null ? (subscriptionId ?? "–") : printable(subscription.name),
  subscription === null ? "–" : statusText(subscription),
  placeText(line.delivered, line.delivered?.completedAt, now),
  line.copy?.target ?? "–",
  placeText(line.copy?.loaded, line.copy?.loaded?.loadedAt, now),
  lagText(line.copy, now),
  placeText(line.acknowledged, line.acknowledged?.acknowledgedAt, now),
  timeText(line.nextDueAt, now),
];

const placeText = (
  place: StatusPlace | null | undefined,
  at: string | null | undefined,
  now: number,
): string => (place ? `${place.generation}.${place.sequence} ${timeText(at, now)}` : "–");

function lagText(copy: StatusLine["copy"], now: number): string {
  if (copy === null) return "–";
  const { loaded, deliveriesBehind: behind, fault } = copy;
  if (fault !== null) return faultWords[fault.error] ?? fault.error;
  const data = loaded === null ? "" : `, data of ${timeText(loaded.asOf, now)}`;
  if (behind === null) return data.slice(2) || "–";
  return `${behind === 0 ? "none" : `${behind} ${behind === 1 ? "delivery" : "deliveries"}`}${data}`;
}
