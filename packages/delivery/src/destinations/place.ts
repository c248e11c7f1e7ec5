import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { DestinationPlace } from "./destination.ts";

/** Body of `POST /v1/file-export-destinations`. Source: interface specification, section 2.9. */
export type DestinationRequest = {
  readonly bucket: string;
  readonly region: string;
  /** A trailing slash is removed. */
  readonly prefix: string;
  readonly roleArn: string;
  readonly kmsKeyArn?: string | null | undefined;
};

/** Longest prefix. The policy of a session repeats it several times, and STS limits the length of the policy. */
const maxPrefixLength = 256;

/** Source: S3 user guide, "General purpose bucket naming rules". */
const bucketName =
  /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)(?!xn--|sthree-|amzn-s3-demo-)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const reservedEnd = /(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/;

const regionName = /^[a-z]{2,4}(?:-[a-z]{2,}){1,3}-\d{1,2}$/;

/** Only characters that are literal in an IAM policy; no segment begins with a dot. */
const prefixText = /^[\w=-][\w.=-]*(?:\/[\w=-][\w.=-]*)*$/;

const roleArn = /^arn:aws:iam::\d{12}:role\/([^/]+)\/file-delivery\/(?:[\w+=,.@-]+\/)*([\w+=,.@-]{1,64})$/;

const keyArn =
  /^arn:aws:kms:([^:]+):\d{12}:key\/(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

type Rule = readonly [DeliveryErrorCode, (place: DestinationPlace, platform: string) => boolean];

/** Rules in the order in which they are checked. */
const rules: readonly Rule[] = [
  ["invalid_bucket", ({ bucket }) => bucketName.test(bucket) && !reservedEnd.test(bucket)],
  ["invalid_region", ({ region }) => regionName.test(region)],
  ["invalid_prefix", ({ prefix }) => prefix.length <= maxPrefixLength && prefixText.test(prefix)],
  [
    "invalid_role_arn",
    (place, platform) => place.roleArn.length <= 2048 && roleArn.exec(place.roleArn)?.[1] === platform,
  ],
  [
    "invalid_kms_key_arn",
    ({ kmsKeyArn, region }) => kmsKeyArn === null || keyArn.exec(kmsKeyArn)?.[1] === region,
  ],
];

/**
 * Validates a request and returns the place that it names.
 *
 * @param platform segment before `/file-delivery/` in the path of the customer's role
 * @throws {DeliveryError} `invalid_bucket`, `invalid_region`, `invalid_prefix`, `invalid_role_arn`, `invalid_kms_key_arn`
 */
export function validateDestination(request: DestinationRequest, platform: string): DestinationPlace {
  const { bucket, region, prefix, roleArn, kmsKeyArn = null } = request;
  const place = { bucket, region, prefix: prefix.replace(/\/$/, ""), roleArn, kmsKeyArn };
  for (const [code, holds] of rules) if (!holds(place, platform)) throw new DeliveryError(code);
  return place;
}
