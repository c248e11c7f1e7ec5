import { ClientError } from "../errors.ts";

/** Bucket and key prefix of objects. The prefix is empty, or ends with a slash. */
export type BucketAddress = { readonly bucket: string; readonly prefix: string };

const form = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

/** Parses an address: `"s3://exports/deliveries"` → `{ bucket: "exports", prefix: "deliveries/" }`. */
export function readBucketAddress(text: string): BucketAddress {
  const [, bucket, path = ""] = form.exec(text) ?? [];
  const steps = path.replace(/\/$/, "");
  if (bucket === undefined || /^\/|\/\/|\/$|[?#\s]/.test(steps)) throw new ClientError("bucket_invalid");
  return { bucket, prefix: steps === "" ? "" : `${steps}/` };
}
