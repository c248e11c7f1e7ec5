import type { ChainLink } from "@cadastre/manifest";
import { Command, Option } from "commander";
import { openBucket } from "../bucket/bucket.ts";
import { ClientError } from "../errors.ts";
import { fetchKeys } from "../fetch/keys.ts";
import { readPins } from "../fetch/pins.ts";
import { bucketFeed } from "../follow/bucket-feed.ts";
import type { DeliveryFeed, SubscriptionState } from "../follow/feed.ts";
import { follow } from "../follow/follow.ts";
import { acknowledgeBy, serviceFeed, stateBy } from "../follow/service-feed.ts";
import { connect } from "../http/connection.ts";
import type { RetryContext } from "../http/request.ts";
import { openTarget } from "../load/open-target.ts";
import { purgeCopy } from "../pull/purge-copy.ts";
import { subscriptionIdOf } from "../subscriptions/subscriptions.ts";
import { printMessage, printResult } from "../terminal/output.ts";
import {
  jsonOption,
  type KeyFlags,
  keyOptions,
  type LoadFlags,
  type PatienceFlags,
  parseCount,
  stoppable,
  type TrustFlags,
  trustOf,
  withKey,
  withLoad,
  withPatience,
  withTrust,
} from "./options.ts";
import { rowsText, showDeliveryProgress } from "./progress.ts";

type Flags = KeyFlags &
  PatienceFlags &
  TrustFlags &
  LoadFlags & {
    readonly subscription: string;
    readonly url?: string;
    readonly fromBucket?: string;
    readonly region?: string;
    readonly endpoint?: string;
    readonly once?: true;
    readonly onRevoke: "keep" | "purge";
    readonly purgeReceipt?: string;
    /** Longest pause between two looks for a delivery, in seconds. */
    readonly poll: number;
    readonly json?: true;
  };

/**
 * `cadastre-client follow`: keeps a copy of what a subscription delivers, from the service (`--url`) or a bucket (`--from-bucket`). With both,
 * deliveries come from the bucket; the service gives its keys and the subscription's state, and takes the acknowledgements. A bucket alone
 * has none of these.
 */
export const followCommand = (): Command =>
  withTrust(
    withLoad(
      withPatience(
        withKey(
          new Command("follow")
            .description("Keep a copy of what a subscription delivers, and acknowledge each delivery.")
            .requiredOption("--subscription <id or name>", "id of the subscription, or with --url its name")
            .option("--url <origin>", "address of the service, such as https://listings.example")
            .option("--from-bucket <address>", "s3://<bucket>/<prefix> that deliveries are pushed to")
            .option("--region <region>", "of the bucket")
            .option("--endpoint <origin>", "of a bucket that is none of AWS")
            .option("--once", "end when nothing is left to be loaded")
            .addOption(
              new Option("--on-revoke <what>", "what to do with the copy when its entitlement is revoked")
                .choices(["keep", "purge"])
                .default("keep"),
            )
            .option(
              "--purge-receipt <file>",
              "where a purge is written down (default: purge-receipt-<subscription>.json in this folder)",
            )
            .option("--poll <seconds>", "longest pause between two looks", parseCount, 300),
        ),
      ),
    ).addOption(jsonOption()),
    "JWKS file of who may sign (default: the keys that the server publishes)",
  ).action((flags: Flags) =>
    stoppable(flags, async (means) => {
      const { feed, close } = await openFeed(flags, means);
      try {
        await followShown(feed, flags, means);
      } finally {
        close();
      }
    }),
  );

type OpenFeed = { readonly feed: DeliveryFeed; readonly close: () => void };

async function openFeed(flags: Flags, means: RetryContext): Promise<OpenFeed> {
  const { url, fromBucket, region, endpoint } = flags;
  const pins = readPins(flags.pin ?? []);
  const reference = flags.acknowledge ? flags.reference : null;
  const connection = url === undefined ? undefined : connect({ url, ...(await keyOptions(flags)), ...means });
  const trust = await trustOf(flags);
  const subscription = await subscriptionIdOf(connection, flags.subscription, "--subscription");
  if (fromBucket === undefined) {
    if (connection === undefined) throw new ClientError("url_or_bucket");
    return { feed: serviceFeed(connection, subscription, { trust, pins, reference }), close: () => {} };
  }
  const keysOf = trust === "published" ? connection && (() => fetchKeys(connection)) : () => trust;
  if (keysOf === undefined) throw new ClientError("keys_or_unsigned");
  const bucket = await openBucket(fromBucket, { ...means, region, endpoint });
  const acknowledge = connection && acknowledgeBy(connection, reference);
  const state = connection && stateBy(connection, subscription);
  return {
    feed: bucketFeed(bucket, subscription, { keysOf, pins, acknowledge, state }),
    close: bucket.close,
  };
}

async function followShown(feed: DeliveryFeed, flags: Flags, { signal }: RetryContext): Promise<void> {
  const target = await openTarget(flags.into, flags);
  // Without a terminal the lines about loaded deliveries are enough.
  const { end, ...progress } = showDeliveryProgress();
  try {
    await follow(feed, {
      ...(process.stderr.isTTY ? progress : {}),
      target,
      staging: flags.staging,
      parallel: flags.parallel,
      maxBytes: flags.maxBytes,
      once: flags.once ?? false,
      pauses: [Math.min(5, flags.poll) * 1000, flags.poll * 1000],
      signal,
      onLoaded: ({ manifest, sha256 }, { standing, rowsBefore }) => {
        end();
        const more = {
          ...(standing === "damaged" && { repaired: true }),
          ...(rowsBefore > 0 && { rowsBefore }),
        };
        if (flags.json) printResult(JSON.stringify({ ...outlineOf({ manifest, sha256 }), ...more }));
        else printMessage(standing === "damaged" ? repairText(manifest) : summary(manifest, rowsBefore));
      },
      onState: (state, last) => {
        end();
        printMessage(stateText(feed.subscription, state, last));
      },
      ...(flags.onRevoke === "purge" && {
        onRevoked: async (last: ChainLink | undefined) => {
          end();
          if (last === undefined) throw new ClientError("copy_purged");
          const receipt = flags.purgeReceipt ?? `purge-receipt-${feed.subscription}.json`;
          await purgeCopy({ target, staging: flags.staging }, last, { file: receipt, title: flags.into });
          throw new ClientError("copy_purged", { receipt });
        },
      }),
      onPause: ({ code, message }, pause) => {
        end();
        printMessage(`  ${code}: ${message}; again in ${pause / 1000} s`);
      },
    });
  } finally {
    end();
    await target.close();
  }
}

const revokedText =
  "The entitlement was revoked: the copy must be deleted. It is kept; `--on-revoke purge` deletes it.";

const outlineOf = ({ manifest, sha256 }: ChainLink) => ({
  deliveryId: manifest.deliveryId,
  domain: manifest.domain,
  kind: manifest.kind,
  generation: manifest.generation,
  sequence: manifest.sequence,
  manifestSha256: sha256,
  rows: manifest.totals.rowCount,
  removals: manifest.totals.removalCount,
});

function stateText(
  subscription: string,
  { status, failure, purge_required: isRevoked }: SubscriptionState,
  last: ChainLink | undefined,
): string {
  if (status !== "paused" && status !== "suspended") return `The subscription is ${status} again.`;
  const reason = failure ? ` (${failure.code})` : "";
  const data =
    last === undefined ? "Nothing was loaded" : `The copy has the data of ${last.manifest.window.asOf}`;
  return `The subscription is ${status}${reason}: no delivery follows until it is resumed, by \`cadastre-client subscriptions resume ${subscription}\`. ${data}.${isRevoked ? ` ${revokedText}` : ""}`;
}

const repairText = ({ kind, generation, sequence }: ChainLink["manifest"]): string =>
  `Fetched files of the ${kind} ${generation}.${sequence} again, which were missing or damaged.`;

function summary(
  { kind, generation, sequence, totals, window }: ChainLink["manifest"],
  rowsBefore: number,
): string {
  const rows = rowsText(totals.rowCount, rowsBefore);
  const removals = kind === "delta" ? `, ${totals.removalCount} removals` : "";
  return `Loaded the ${kind} ${generation}.${sequence} as of ${window.asOf}: ${rows}${removals}.`;
}
