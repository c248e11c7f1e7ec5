import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import { hostOf } from "../outbound/pinned-address.ts";
import { isPublicHost } from "../outbound/public-address.ts";
import type { DestinationPlace, DestinationServer } from "./destination.ts";

/** Keys of a customer for its own object store. */
export type DestinationKeys = { readonly accessKeyId: string; readonly secretAccessKey: string };

/**
 * Body of `POST /v1/file-export-destinations`. Source: interface specification, section 2.9; the members of stores other than AWS are
 * beyond it.
 */
export type DestinationRequest = {
  readonly bucket: string;
  /** Required for AWS. By default `us-east-1` for other stores. */
  readonly region?: string | null | undefined;
  /** A trailing slash is removed. */
  readonly prefix: string;
  /** Role to assume at AWS. */
  readonly roleArn?: string | null | undefined;
  readonly kmsKeyArn?: string | null | undefined;
  /** Origin of a store other than AWS. It needs the keys. */
  readonly endpoint?: string | null | undefined;
  /** True if addresses at the store have the bucket in their path. By default true. */
  readonly pathStyle?: boolean | null | undefined;
} & { readonly [Key in keyof DestinationKeys]?: DestinationKeys[Key] | null | undefined };

/** Restrictions on the places of destinations. */
export type PlaceTerms = {
  /** Segment before `/file-delivery/` in the path of customers' roles. */
  readonly platform: string;
  /** Origins of stores in private networks that customers may name. */
  readonly privateStores: readonly string[];
};

/** Longest prefix. The policy of a session repeats it several times, and STS limits the length of the policy. */
const maxPrefixLength = 256;

/** Source: S3 user guide, "General purpose bucket naming rules". */
const bucketName =
  /^(?!.*\.\.)(?!\d+\.\d+\.\d+\.\d+$)(?!xn--|sthree-|amzn-s3-demo-)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const reservedEnd = /(?:-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$/;

const awsRegion = /^[a-z]{2,4}(?:-[a-z]{2,}){1,3}-\d{1,2}$/;

/** Other stores name their regions freely; requests are signed with the name. */
const storeRegion = /^[a-z0-9][a-z0-9-]{0,63}$/;
const defaultStoreRegion = "us-east-1";

/** Only characters that are literal in an IAM policy; no segment begins with a dot. */
const prefixText = /^[\w=-][\w.=-]*(?:\/[\w=-][\w.=-]*)*$/;

const roleArn = /^arn:aws:iam::\d{12}:role\/([^/]+)\/file-delivery\/(?:[\w+=,.@-]+\/)*([\w+=,.@-]{1,64})$/;

const keyArn =
  /^arn:aws:kms:([^:]+):\d{12}:key\/(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Printable ASCII without blanks. */
const accessKey = /^[!-~]{1,256}$/;

/** A place that a request asks for, before it is checked. */
type AskedPlace = Pick<DestinationPlace, "bucket" | "region" | "prefix"> & {
  readonly roleArn: string | null;
  readonly kmsKeyArn: string | null;
  readonly server: DestinationServer | null;
};

type Rule = readonly [DeliveryErrorCode, (place: AskedPlace, terms: PlaceTerms) => boolean];

const objectRules: readonly Rule[] = [
  ["invalid_bucket", ({ bucket }) => bucketName.test(bucket) && !reservedEnd.test(bucket)],
  ["invalid_region", ({ region, server }) => (server === null ? awsRegion : storeRegion).test(region)],
  ["invalid_prefix", ({ prefix }) => prefix.length <= maxPrefixLength && prefixText.test(prefix)],
];

/** Rules in the order in which they are checked. */
const rules: readonly Rule[] = [
  ...objectRules,
  [
    "invalid_role_arn",
    ({ roleArn: arn, server }, { platform }) =>
      server === null
        ? arn !== null && arn.length <= 2048 && roleArn.exec(arn)?.[1] === platform
        : arn === null,
  ],
  [
    "invalid_kms_key_arn",
    ({ kmsKeyArn, region, server }) =>
      kmsKeyArn === null || (server === null && keyArn.exec(kmsKeyArn)?.[1] === region),
  ],
  [
    "invalid_endpoint",
    ({ server }, { privateStores }) => server === null || isAllowedEndpoint(server.endpoint, privateStores),
  ],
];

/**
 * Validates a request, and returns the place that it names, with the keys of a store other than AWS.
 *
 * @throws {DeliveryError} `invalid_bucket`, `invalid_region`, `invalid_prefix`, `invalid_role_arn`, `invalid_kms_key_arn`,
 * `invalid_endpoint`, `invalid_access_key`
 */
export function validateDestination(
  request: DestinationRequest,
  terms: PlaceTerms,
): { readonly place: DestinationPlace; readonly keys: DestinationKeys | undefined } {
  const { endpoint, pathStyle, accessKeyId, secretAccessKey } = request;
  const isOwnStore = endpoint !== undefined && endpoint !== null;
  const asked: AskedPlace = {
    bucket: request.bucket,
    region: request.region ?? (isOwnStore ? defaultStoreRegion : ""),
    prefix: request.prefix.replace(/\/$/, ""),
    roleArn: request.roleArn ?? null,
    kmsKeyArn: request.kmsKeyArn ?? null,
    server: isOwnStore
      ? { endpoint: originOf(endpoint), pathStyle: pathStyle ?? true, accessKeyId: accessKeyId ?? "" }
      : null,
  };
  for (const [code, holds] of rules) if (!holds(asked, terms)) throw new DeliveryError(code);
  const place = placeOf(asked);
  return { place, keys: validateKeys({ accessKeyId, secretAccessKey }, place) };
}

/** Returns a place that was checked. */
function placeOf({ roleArn: arn, kmsKeyArn, server, ...place }: AskedPlace): DestinationPlace {
  if (server !== null) return { ...place, roleArn: null, kmsKeyArn: null, server };
  if (arn === null) throw new DeliveryError("invalid_role_arn");
  return { ...place, roleArn: arn, kmsKeyArn, server };
}

/**
 * Validates the keys that a request gives for a place: a store other than AWS needs both, AWS has none.
 *
 * @throws {DeliveryError} `invalid_access_key`
 */
export function validateKeys(
  { accessKeyId, secretAccessKey }: Pick<DestinationRequest, keyof DestinationKeys>,
  { server }: Pick<DestinationPlace, "server">,
): DestinationKeys | undefined {
  const given = [accessKeyId ?? undefined, secretAccessKey ?? undefined] as const;
  const [id, secret] = given;
  if (server === null && id === undefined && secret === undefined) return undefined;
  if (
    server === null ||
    id === undefined ||
    secret === undefined ||
    !given.every((key) => accessKey.test(key ?? ""))
  )
    throw new DeliveryError("invalid_access_key");
  return { accessKeyId: id, secretAccessKey: secret };
}

/** Returns the origin of an address that has nothing else; else the text as it is, which no rule allows. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && url.href === `${url.origin}/` ? url.origin : text;
}

/** Names of the local network that contain a point. */
const localName = /\.(?:local|localhost|internal)$/;

/** Private stores are allowed by their names. Others must be on the public Internet; where a name leads is checked at each connection. */
function isAllowedEndpoint(endpoint: string, privateStores: readonly string[]): boolean {
  if (privateStores.includes(endpoint)) return true;
  if (!URL.canParse(endpoint)) return false;
  const url = new URL(endpoint);
  const host = hostOf(url);
  const isPublic = isPublicHost(host) && !localName.test(host);
  return url.origin === endpoint && url.protocol === "https:" && isPublic;
}
