/** A bucket, and the prefix of the keys in it. */
export type BucketPlace = { readonly bucket: string; readonly prefix: string };

/** Pattern of `s3://bucket/prefix`. Source: Amazon S3 User Guide, "General purpose bucket naming rules". */
const place = /^s3:\/\/([a-z0-9](?:[a-z0-9-]|\.(?!\.)){1,61}[a-z0-9])(?:\/([\w.-]+(?:\/[\w.-]+)*))?\/?$/;

/** Parses `s3://bucket/prefix`. The default prefix is `parts`. Undefined if the text has another format. */
export function toBucketPlace(text: string): BucketPlace | undefined {
  const [, bucket, prefix = "parts"] = place.exec(text) ?? [];
  return bucket === undefined ? undefined : { bucket, prefix };
}
