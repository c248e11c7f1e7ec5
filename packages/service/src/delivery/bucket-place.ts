/** A bucket, and what keys in it begin with. */
export type BucketPlace = { readonly bucket: string; readonly prefix: string };

/** Names as S3 allows them. Source: Amazon S3 User Guide, "General purpose bucket naming rules". */
const place = /^s3:\/\/([a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9])(?:\/([\w.-]+(?:\/[\w.-]+)*))?\/?$/;

/** Undefined where the text names no place. */
export function toBucketPlace(text: string): BucketPlace | undefined {
  const [, bucket, prefix = "parts"] = place.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, prefix };
}
