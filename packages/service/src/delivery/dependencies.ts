import { createHash } from "node:crypto";
import {
  bucketParts,
  createDestinations,
  type DeliveryCredits,
  type Destinations,
  folderParts,
  type OutputProfile,
  openS3Bucket,
  type PartStore,
  type WebhookTerms,
} from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import type { Catalog } from "@cadastre/reso";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { sealingKeys } from "../data/derived-keys.ts";
import type { Registry } from "../data/registry.ts";
import type { Secrets } from "../data/secrets.ts";
import { datasetsOf } from "../v1/inventory.ts";
import { approvedIn, type RecentProfiles } from "../v1/recent-profiles.ts";
import { claimBucket, claimPlace, guardedParts, type PartsPlace, partsRoot } from "./parts-place.ts";
import { outputProfiles } from "./profiles.ts";
import type { FollowSigningKeys } from "./signing-keys.ts";

/** Returns the datasets that a scope grants, and the disclaimers that must be displayed with them. */
async function creditsOf(
  catalog: Catalog,
  { datasets }: Scope,
  profiles: RecentProfiles,
): Promise<DeliveryCredits> {
  const known = await profiles();
  const granted = datasetsOf(catalog, datasets);
  const disclaimers = granted.flatMap(({ dataset_id }) => {
    const profile = approvedIn(known, dataset_id);
    return profile === undefined ? [] : [{ datasetId: dataset_id, text: profile.disclaimer }];
  });
  return {
    sources: granted.map(({ dataset_id, originating_system_name }) => ({
      datasetId: dataset_id,
      originatingSystemName: originating_system_name,
    })),
    attribution: disclaimers.map(({ datasetId, text }) => ({
      datasetId,
      disclaimerSha256: createHash("sha256").update(text).digest("hex"),
    })),
    disclaimers: [...new Set(disclaimers.map(({ text }) => text))],
  };
}

const day = 86_400_000;

type Given = {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly folder: DataFolder;
  readonly registry: Registry;
  readonly manifestKeys: FollowSigningKeys;
  readonly profiles: RecentProfiles;
};

/** Dependencies that the routes of deliveries and the workers share. */
export type ExportDependencies = Given &
  OpenedParts & {
    readonly outputs: readonly OutputProfile[];
    readonly destinations: Destinations;
    /** Time after its creation during which a delivery can be fetched, in milliseconds. */
    readonly retention: number;
    /** Returns the datasets that a scope grants, and their disclaimers. */
    readonly creditsOf: (scope: Scope) => Promise<DeliveryCredits>;
    readonly webhookTerms: WebhookTerms;
  };

/** Creates the shared dependencies with the folder's registry and parts. */
export async function openExportDependencies({
  skipTokenKey,
  ...given
}: Given & Pick<Secrets, "skipTokenKey">): Promise<ExportDependencies> {
  const { config, folder, registry } = given;
  return {
    ...given,
    ...dependentOn(given),
    ...(await openParts(config, folder, registry)),
    destinations: openDestinations(config, registry, { skipTokenKey }),
    retention: config.retentionDays * day,
    webhookTerms: webhookTermsOf(config, { skipTokenKey }),
  };
}

/** Returns the same dependencies for another catalog. */
export const ofCatalog = (exporting: ExportDependencies, catalog: Catalog): ExportDependencies => ({
  ...exporting,
  catalog,
  ...dependentOn({ ...exporting, catalog }),
});

/** Returns what depends on the catalog. */
const dependentOn = ({
  config,
  catalog,
  profiles,
}: Given): Pick<ExportDependencies, "outputs" | "creditsOf"> => ({
  outputs: outputProfiles(config, catalog),
  creditsOf: (scope) => creditsOf(catalog, scope, profiles),
});

/** Opens the destinations of a registry. Their secrets are encrypted with a key derived from the folder's secrets. */
function openDestinations(
  { pushEndpoint: endpoint, pushStores }: Pick<Config, "pushEndpoint" | "pushStores">,
  { destinations: registry }: Pick<Registry, "destinations">,
  secrets: Pick<Secrets, "skipTokenKey">,
): Destinations {
  return createDestinations({
    registry,
    key: sealingKeys.destination(secrets),
    terms: { privateStores: pushStores ?? [] },
    access: endpoint === undefined ? {} : { endpoints: { s3: endpoint, sts: endpoint }, pathStyle: true },
  });
}

/** Returns the permitted targets and events of webhooks, and the key that encrypts their secrets, which is derived from the folder's secrets. */
const webhookTermsOf = (
  { webhookLoopback: loopback, extensions }: Pick<Config, "webhookLoopback" | "extensions">,
  secrets: Pick<Secrets, "skipTokenKey">,
): WebhookTerms => ({
  loopback,
  key: sealingKeys.webhook(secrets),
  sendsEvents: extensions.includes("event"),
});

type PartsConfig = Pick<Config, "partsFolder" | "partsBucket" | "partsRegion" | "partsEndpoint">;

/** Store of parts, and its folder. The folder is undefined if the parts are in a bucket. */
type OpenedParts = { readonly parts: PartStore; readonly partsPlace: PartsPlace | undefined };

/**
 * Opens the folder or bucket of parts.
 *
 * @throws {DataError} if it is not the registry's
 */
export async function openParts(
  config: PartsConfig,
  folder: DataFolder,
  registry: Pick<Registry, "guards">,
): Promise<OpenedParts> {
  const { partsBucket, partsRegion: region, partsEndpoint } = config;
  const root = partsRoot(config, folder);
  if (partsBucket === undefined) {
    const partsPlace = await claimPlace(root, folder, registry);
    return { parts: guardedParts(folderParts(root), partsPlace), partsPlace };
  }
  await claimBucket(partsBucket, registry);
  const access = partsEndpoint === undefined ? {} : { endpoints: { s3: partsEndpoint }, pathStyle: true };
  const bucket = await openS3Bucket({ bucket: partsBucket.bucket, region, kmsKeyArn: null }, { access });
  const staging = folderParts(root);
  return { parts: bucketParts({ bucket, prefix: partsBucket.prefix, staging }), partsPlace: undefined };
}
