import { domainNames } from "@cadastre/manifest";
import { Command, Option } from "commander";
import { ClientError } from "../errors.ts";
import type { ExportRequest } from "../fetch/exports.ts";
import { readPins } from "../fetch/pins.ts";
import type { Connection } from "../http/connection.ts";
import { openTarget, targetIdentity } from "../load/open-target.ts";
import type { LoadState } from "../load/target.ts";
import { endsExport, exportOnce, type PendingExport } from "../pull/pending.ts";
import { type PullOptions, type PullReport, pull } from "../pull/pull.ts";
import { openStaging } from "../pull/take.ts";
import { withElapsed } from "../terminal/elapsed.ts";
import { printMessage, printResult } from "../terminal/output.ts";
import { filterOption, refusedNarrowing, selectOption } from "./narrowing-options.ts";
import {
  type ConnectionFlags,
  connected,
  jsonOption,
  type LoadFlags,
  type TrustFlags,
  trustOf,
  withConnection,
  withLoad,
  withTrust,
} from "./options.ts";
import { rowsText, showDeliveryProgress } from "./progress.ts";
import { namingOptions, type RefusedOptions } from "./refused-options.ts";

type Flags = ConnectionFlags &
  TrustFlags &
  LoadFlags & {
    readonly domain?: ExportRequest["domain"];
    readonly profile?: string;
    readonly filter?: string;
    readonly select?: readonly string[];
    readonly asOf?: string;
    readonly json?: true;
  };

/** `cadastre-client pull [delivery]` */
export const pullCommand = (): Command =>
  withTrust(
    withLoad(
      withConnection(
        new Command("pull")
          .description("Fetch a delivery, or a new snapshot, verify it, load it, and acknowledge it.")
          .argument("[delivery]", "id of a delivery")
          .addOption(new Option("--domain <domain>", "ask for a snapshot of this").choices(domainNames))
          .option("--profile <id>", "output profile of the snapshot")
          .option(...filterOption)
          .option(...selectOption)
          .option("--as-of <time>", "an earlier state that is still kept, such as 2026-11-21T04:00:00Z"),
      ),
    ).addOption(jsonOption()),
    "JWKS file of who may sign (default: the keys that the server publishes)",
  ).action((delivery: string | undefined, flags: Flags) =>
    connected(flags, async (connection) => {
      const target = await openTarget(flags.into, flags);
      try {
        const staging = await openStaging({ target, staging: flags.staging });
        // Before an export is asked for, because a wrong option needs none.
        const checks = { trust: await trustOf(flags), pins: readPins(flags.pin ?? []) };
        // A domain's main dataset has the domain's name. The others are only known from the manifest.
        if (flags.domain !== undefined) await target.requireFree([flags.domain]);
        const { id, done } = await deliveryOf(connection, delivery, flags, staging);
        const report = await pullShown(connection, id, { target, staging, ...checks }, flags).catch(
          async (error: unknown) => {
            if (endsExport(error)) await done();
            throw error;
          },
        );
        await done();
        if (flags.json) printResult(JSON.stringify(outlineOf(report)));
        else printMessage(summary(report));
      } finally {
        await target.close();
      }
    }),
  );

/** Options of an export that the service refuses, although this program takes them. */
const refused: RefusedOptions = {
  unknown_domain: ["--domain", `allowed are ${domainNames.join(", ")}`],
  unknown_profile: ["--profile", "it must be an output profile of the domain, see docs/delivery.md"],
  ...refusedNarrowing,
  invalid_as_of: [
    "--as-of",
    "it must be a time such as 2026-11-21T04:00:00Z, not later than now, or `window.toCheckpoint` of a delivery of yours",
  ],
  as_of_expired: ["--as-of", "the state of that time is not kept any more: ask for a later one"],
  entitlement_denied: [
    "--domain",
    "your entitlement grants nothing of it: /v1/account/resources shows what it does",
  ],
};

async function deliveryOf(
  connection: Connection,
  id: string | undefined,
  flags: Flags,
  staging: string,
): Promise<PendingExport> {
  const { domain, profile, filter, select, asOf } = flags;
  const narrowing = filter === undefined && select === undefined ? [] : [filter, select];
  const past = asOf === undefined ? [] : [{ asOf }];
  if (id !== undefined && domain === undefined) return { id, done: async () => {} };
  if (id !== undefined || domain === undefined) throw new ClientError("delivery_or_domain");
  let told = "";
  const onStatus = (status: string) => {
    if (status !== told) printMessage(`  the export is ${status}`);
    told = status;
  };
  return namingOptions(refused, () =>
    withElapsed("waiting for the export", () =>
      exportOnce(
        connection,
        { domain, profileId: profile, filter, select, asOf },
        {
          staging,
          purpose: JSON.stringify([targetIdentity(flags.into, flags), flags.pin, ...narrowing, ...past]),
          onStatus,
        },
      ),
    ),
  );
}

async function pullShown(
  connection: Connection,
  id: string,
  options: Pick<PullOptions, "target" | "staging" | "trust" | "pins">,
  flags: Flags,
): Promise<PullReport> {
  const { end, ...progress } = showDeliveryProgress();
  try {
    return await pull(connection, id, {
      ...options,
      parallel: flags.parallel,
      maxBytes: flags.maxBytes,
      reference: flags.acknowledge ? flags.reference : null,
      ...progress,
    });
  } finally {
    end();
  }
}

const outlineOf = ({
  delivery: { manifest, sha256, signature },
  standing,
  rowsBefore,
  acknowledged,
}: PullReport) => ({
  deliveryId: manifest.deliveryId,
  domain: manifest.domain,
  generation: manifest.generation,
  sequence: manifest.sequence,
  manifestSha256: sha256,
  asOf: manifest.window.asOf,
  signed: signature !== undefined,
  rows: manifest.totals.rowCount,
  ...(rowsBefore > 0 && { rowsBefore }),
  bytes: manifest.totals.byteLength,
  loaded: standing === "new",
  ...(standing === "damaged" && { repaired: true }),
  acknowledged,
});

function summary({ delivery: { manifest, sha256 }, standing, rowsBefore, acknowledged }: PullReport): string {
  const what = `delivery ${manifest.deliveryId} (manifest ${sha256.slice(0, 12)}) as of ${manifest.window.asOf}`;
  const loaded = {
    new: `Loaded ${what}, ${rowsText(manifest.totals.rowCount, rowsBefore)}`,
    done: `The ${what} had been loaded`,
    damaged: `Fetched files of ${what} again, which were missing or damaged`,
  } as const satisfies Record<LoadState, string>;
  return `${loaded[standing]}${acknowledged ? ", and acknowledged it" : ""}.`;
}
