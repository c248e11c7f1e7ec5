import { hkdfSync } from "node:crypto";
import { createDeliveries } from "@cadastre/delivery";
import type { Registry } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Secrets } from "../data/secrets.ts";
import type { RecentProfiles } from "../v1/recent-profiles.ts";
import { creditsOf } from "./credits.ts";
import { type ExportMeans, exportSource } from "./export-source.ts";
import { openParts } from "./parts.ts";
import { outputProfiles } from "./profiles.ts";
import type { DeliveryServices } from "./services.ts";
import { readSigningKeys } from "./signing-keys.ts";

const day = 86_400_000;

export type DeliveryMeans = ExportMeans & {
  readonly config: Config;
  readonly folder: DataFolder;
  readonly registry: Registry;
  readonly profiles: RecentProfiles;
} & Pick<Secrets, "skipTokenKey">;

/** What the routes of deliveries work with, over the folder's ledger and parts. */
export async function openDeliveries({
  config,
  folder,
  registry,
  profiles,
  skipTokenKey,
  ...means
}: DeliveryMeans): Promise<DeliveryServices> {
  const { published } = await readSigningKeys(config, folder);
  return {
    deliveries: createDeliveries({
      ledger: registry.deliveries,
      source: exportSource(means),
      parts: openParts(config, folder),
      profiles: outputProfiles(config),
      retention: config.retentionDays * day,
      creditsOf: (scope) => creditsOf(scope, profiles),
    }),
    manifestKeys: published,
    cursorKey: Buffer.from(hkdfSync("sha256", skipTokenKey, "", "cursor of file exports", 32)),
  };
}
