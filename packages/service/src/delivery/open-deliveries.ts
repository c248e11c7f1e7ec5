import { hkdfSync } from "node:crypto";
import { createDeliveries, createSubscriptions, type OutputProfile } from "@cadastre/delivery";
import type { Registry } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Secrets } from "../data/secrets.ts";
import type { RecentProfiles } from "../v1/recent-profiles.ts";
import { creditsOf } from "./credits.ts";
import { type ExportMeans, exportSource } from "./export-source.ts";
import { openDestinations } from "./open-destinations.ts";
import { openParts } from "./parts.ts";
import type { DeliveryServices } from "./services.ts";
import type { SigningKeys } from "./signing-keys.ts";

const day = 86_400_000;

export type DeliveryMeans = ExportMeans & {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly registry: Registry;
  readonly outputs: readonly OutputProfile[];
  readonly manifestKeys: SigningKeys;
  /** How datasets are to be presented. */
  readonly profiles: RecentProfiles;
} & Pick<Secrets, "skipTokenKey">;

/** What the routes of deliveries work with, over the folder's ledger and parts. */
export async function openDeliveries({
  config,
  folder,
  registry,
  outputs,
  manifestKeys,
  profiles,
  skipTokenKey,
  ...means
}: DeliveryMeans): Promise<DeliveryServices> {
  const destinations = openDestinations(config, registry, { skipTokenKey });
  const targets = config.push ? destinations : undefined;
  const delivered = { source: exportSource(means), profiles: outputs, targets };
  return {
    destinations,
    isDirect: config.grants === "direct_https",
    isPushing: config.push,
    subscriptions: createSubscriptions({ ...delivered, registry: registry.subscriptions }),
    deliveries: createDeliveries({
      ...delivered,
      ledger: registry.deliveries,
      parts: await openParts(config, folder),
      retention: config.retentionDays * day,
      creditsOf: (scope) => creditsOf(scope, profiles),
    }),
    manifestKeys: manifestKeys.published,
    cursorKey: Buffer.from(hkdfSync("sha256", skipTokenKey, "", "cursor of file exports", 32)),
  };
}
