import { bucketParts, folderParts, openBucket, type PartStore } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import type { DataFolder } from "../data/data-folder.ts";

type PartsConfig = Pick<Config, "partsFolder" | "partsBucket" | "partsRegion" | "partsEndpoint">;

/** Where the bytes of deliveries lie. */
export async function openParts(
  { partsFolder, partsBucket, partsRegion: region, partsEndpoint }: PartsConfig,
  { exports }: DataFolder,
): Promise<PartStore> {
  const folder = folderParts(partsFolder ?? exports);
  if (partsBucket === undefined) return folder;
  const access = partsEndpoint === undefined ? {} : { endpoints: { s3: partsEndpoint }, pathStyle: true };
  const bucket = await openBucket({ bucket: partsBucket.bucket, region, kmsKeyArn: null }, { access });
  return bucketParts({ bucket, prefix: partsBucket.prefix, staging: folder });
}
