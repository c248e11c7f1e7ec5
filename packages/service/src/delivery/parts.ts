import { bucketParts, folderParts, openS3Bucket, type PartStore } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Registry } from "../data/registry.ts";
import { claimPlace, guardedParts, type PartsPlace, partsRoot } from "./parts-place.ts";

type PartsConfig = Pick<Config, "partsFolder" | "partsBucket" | "partsRegion" | "partsEndpoint">;

/** Store of parts, and its folder. The folder is undefined if the parts are in a bucket. */
export type OpenedParts = { readonly parts: PartStore; readonly partsPlace: PartsPlace | undefined };

/**
 * Opens the folder or bucket of parts.
 *
 * @throws {DataError} if the folder is not the registry's
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
  const access = partsEndpoint === undefined ? {} : { endpoints: { s3: partsEndpoint }, pathStyle: true };
  const bucket = await openS3Bucket({ bucket: partsBucket.bucket, region, kmsKeyArn: null }, { access });
  const staging = folderParts(root);
  return { parts: bucketParts({ bucket, prefix: partsBucket.prefix, staging }), partsPlace: undefined };
}
