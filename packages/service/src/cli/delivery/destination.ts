import { setTimeout } from "node:timers/promises";
import { type Destination, destinationTransitions } from "@cadastre/delivery";
import { Command } from "commander";
import { recordableId } from "../../audit/audit-trail.ts";
import type { Registry } from "../../data/registry.ts";
import { destinationView } from "../../delivery/destinations.ts";
import { audited, auditOf } from "../audited.ts";
import { withServiceRegistry } from "../data.ts";
import { commandFor } from "../doctor/worker-checks.ts";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { parsePeriod } from "../times.ts";
import { liveWorkers } from "./delivery-context.ts";
import { diagnosesText } from "./delivery-text.ts";
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
import { pointerReasons } from "./reasons.ts";
import { codeText } from "./remedies.ts";

const idArgument = ["<destination>", "id of the destination, as `destination list` shows it"] as const;

/** `cadastre destination` */
export const destinationCommand = (): Command =>
  new Command("destination")
    .description("See the buckets of all customers that deliveries are pushed to, and verify one.")
    .addCommand(
      withListOptions(
        new Command("list").description("List destinations, the last created first."),
        Object.keys(destinationTransitions),
      ).action(listDestinations),
    )
    .addCommand(
      new Command("show")
        .description("Show a destination, and why it is not active.")
        .argument(...idArgument)
        .addOption(machineOption())
        .action(showDestination),
    )
    .addCommand(
      new Command("check")
        .description("Have a worker verify a destination now, and tell the result.")
        .argument(...idArgument)
        .option("--wait <duration>", "how long to wait for the result", parsePeriod, parsePeriod("1m"))
        .addOption(machineOption())
        .action(checkDestination),
    );

const placeText = ({ bucket, prefix, server }: Destination): string =>
  server === null ? `s3://${bucket}/${prefix}` : `${server.endpoint}/${bucket}/${prefix}`;

const listDestinations = (flags: ListFlags) =>
  withServiceRegistry(async ({ operations }) => {
    const found = await operations.destinations(operatorFilter(flags));
    const now = Date.now();
    printListing(
      {
        heads: ["ID", "CUSTOMER", "PLACE", "REGION", "STATUS", "REASON", "VERIFIED"],
        rows: found.map((one) => [
          one.id,
          one.customer,
          placeText(one),
          one.region,
          one.state,
          one.failure ?? (one.pointerDenied === null ? "" : "pointer_denied"),
          sinceText(one.verified, now),
        ]),
        objects: found.map((one) => ({ customer: one.customer, ...destinationView(one) })),
        none: "No such destinations.",
      },
      flags,
    );
  });

const showDestination = (id: string, { json }: Pick<ListFlags, "json">) =>
  withServiceRegistry(async ({ operations }) => {
    const found = requireObject(await operations.destination(id), "destination", id);
    if (json) return printDestination(found);
    const now = Date.now();
    printResult(
      membersText({
        id,
        customer: found.customer,
        place: placeText(found),
        region: found.region,
        role: found.roleArn,
        "access key": found.server?.accessKeyId ?? null,
        key: found.kmsKeyArn,
        status: found.state,
        reason: found.failure === null ? null : codeText(found.failure),
        "pointer denied": found.pointerDenied === null ? null : sinceText(found.pointerDenied, now),
        verified: sinceText(found.verified, now),
        created: sinceText(found.created, now),
      }),
    );
    const reasons = pointerReasons(found);
    if (reasons.length > 0) printResult(`\n${diagnosesText(reasons)}`);
  });

const printDestination = (found: Destination) =>
  printResult(JSON.stringify({ customer: found.customer, ...destinationView(found) }, null, 2));

/** Wait between two looks at a destination that is being verified, in milliseconds. */
const lookEvery = 250;

type CheckFlags = Pick<ListFlags, "json"> & { readonly wait: number };

const checkDestination = (id: string, { json, wait }: CheckFlags) =>
  withServiceRegistry(async (registry, folder, config) => {
    const found = requireObject(await registry.operations.destination(id), "destination", id);
    const { customer } = found;
    const workers = await liveWorkers(registry);
    if (!workers.some(({ work }) => work.includes("publications")))
      throw new CommandRefused(
        `no worker runs that publishes deliveries, so nobody can verify the destination: ${commandFor("publications", config)}`,
      );
    const object = { id: recordableId(id), customer };
    const begun = await audited({ action: "destination.verify", object, ...auditOf(folder, config) }, () =>
      registry.destinations.requestVerification(customer, id, Date.now()),
    );
    const checked = await verifiedAfter(registry, begun, Date.now() + wait);
    if (json) printDestination(checked);
    else if (checked.state === "active") {
      printMessage(`The destination ${id} of ${customer}, ${placeText(checked)}, is \`active\`.`);
      const reasons = pointerReasons(checked);
      if (reasons.length > 0) printMessage(diagnosesText(reasons));
    }
    if (checked.state !== "active")
      throw new CommandRefused(
        `the destination ${id} of ${customer}, ${placeText(checked)}, is \`${checked.state}\`: ${codeText(checked.failure ?? "destination_not_active")}. Have the customer correct that, and check it again`,
        { failureCode: checked.failure ?? "destination_not_active" },
      );
  });

/**
 * Waits until a requested verification has ended.
 *
 * @param end milliseconds since 1970
 * @throws {CommandRefused} if it has not ended by then
 */
async function verifiedAfter(
  { operations }: Pick<Registry, "operations">,
  { id, round, verified }: Destination,
  end: number,
): Promise<Destination> {
  for (;;) {
    const found = requireObject(await operations.destination(id), "destination", id);
    const isEnded = found.round > round && found.state !== "verifying";
    // An active destination stays active while it is verified.
    if (isEnded && (found.state !== "active" || found.verified !== verified)) return found;
    if (Date.now() >= end)
      throw new CommandRefused(
        `the destination ${id} was not verified in time: wait for longer by \`--wait\`, or read the log of the workers`,
      );
    await setTimeout(lookEvery);
  }
}
