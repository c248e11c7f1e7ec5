import { domainNames } from "@cadastre/manifest";
import { Command, Option } from "commander";
import { ClientError } from "../errors.ts";
import {
  type DomainSubscription,
  emptyBehaviors,
  ensureSubscription,
  transferModes,
} from "../subscriptions/subscriptions.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printable, printMessage, printResult } from "../terminal/output.ts";
import { cadenceForm, cadenceText, parseCadence, parseMinute } from "./cadence.ts";
import { filterOption, refusedNarrowing, selectOption } from "./narrowing-options.ts";
import { type ConnectionFlags, connected, jsonOption, withConnection } from "./options.ts";
import { namingOptions, type RefusedOptions } from "./refused-options.ts";

type Flags = ConnectionFlags & {
  readonly name: string;
  readonly domain: DomainSubscription["domain"];
  /** Seconds. */
  readonly cadence: number;
  readonly minute?: number;
  readonly mode: DomainSubscription["deliveryMode"];
  readonly destination?: string;
  readonly profile?: string;
  readonly filter?: string;
  readonly select?: readonly string[];
  readonly whenEmpty?: DomainSubscription["emptyDeliveryBehavior"];
  readonly json?: true;
};

/** Options that the service refuses, although this program takes them. */
const refused: RefusedOptions = {
  invalid_name: ["--name", "it must be 1 to 128 characters on one line"],
  subscription_exists: ["--name", "another subscription of yours has it: choose another"],
  unknown_domain: ["--domain", `allowed are ${domainNames.join(", ")}`],
  entitlement_denied: [
    "--domain",
    "your entitlement grants nothing of it: /v1/account/resources shows what it does",
  ],
  invalid_cadence: ["--cadence", `it must be ${cadenceForm}`],
  invalid_preferred_minute: ["--minute", "it must be 0 to 1439"],
  unknown_profile: ["--profile", "it must be an output profile of the domain, see docs/delivery.md"],
  ...refusedNarrowing,
  destination_required: [
    "--destination",
    "`--mode push` and `--mode both` need an active destination of yours",
  ],
  destination_not_active: ["--destination", "it must be active: verify it first"],
  not_found: ["--destination", "you have no such destination"],
  capability_required: ["--mode", "your entitlement does not allow `push` and `both`: use `pull`"],
  push_unavailable: ["--mode", "this service does not push: use `pull`"],
  too_many_subscriptions: ["--name", "you have as many as are allowed: cancel one first"],
};

/** `cadastre-client subscribe` */
export const subscribeCommand = (): Command =>
  withConnection(
    new Command("subscribe")
      .description(
        "Create a subscription: a seed at once, then what has changed at each interval. Repeated, it changes nothing.",
      )
      .requiredOption("--name <name>", "name, unique among your subscriptions that are not canceled")
      .addOption(
        new Option("--domain <domain>", "what is delivered").choices(domainNames).makeOptionMandatory(),
      )
      .requiredOption("--cadence <duration>", `time between two deliveries: ${cadenceForm}`, parseCadence)
      .option("--minute <time>", "time of the day in UTC, such as 04:00, for a cadence of days", parseMinute)
      .addOption(
        new Option("--mode <mode>", "fetched from the service, written to your bucket, or both")
          .choices(transferModes)
          .default("pull"),
      )
      .option("--destination <id>", "destination to write to, for push and both")
      .option("--profile <id>", "output profile (default: the first one of the domain)")
      .option(...filterOption)
      .option(...selectOption)
      .addOption(
        new Option("--when-empty <behavior>", "what is delivered if nothing has changed")
          .choices(emptyBehaviors)
          .default("manifest_only"),
      )
      .addOption(jsonOption()),
  ).action((flags: Flags) => {
    if (flags.minute !== undefined && flags.cadence % 86_400 !== 0)
      throw new ClientError("minute_unused", { cadence: cadenceText(flags.cadence) });
    return connected(flags, async (connection) => {
      const request: DomainSubscription = {
        name: flags.name,
        domain: flags.domain,
        deliveryMode: flags.mode,
        cadenceSeconds: flags.cadence,
        preferredMinuteOfDay: flags.minute,
        emptyDeliveryBehavior: flags.whenEmpty,
        destinationId: flags.destination,
        profileId: flags.profile,
        filter: flags.filter,
        select: flags.select,
      };
      const { subscription, isNew } = await namingOptions(refused, () =>
        withElapsed("asking the service", () => ensureSubscription(connection, request)),
      );
      if (flags.json) return printResult(JSON.stringify({ ...subscription, isNew }));
      const { id, name, domain, cadenceSeconds } = subscription;
      printMessage(
        `${isNew ? "Subscribed" : "You are subscribed already"} to ${domain} every ${cadenceText(cadenceSeconds)} as \`${printable(name)}\`.`,
      );
      printMessage(
        `To keep a copy current: \`cadastre-client follow --subscription ${id} --url ${connection.origin} --into <target>\``,
      );
      printResult(id);
    });
  });
