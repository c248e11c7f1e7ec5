import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";

/** What a refusal of S3 or STS means, whatever its code. */
export type Fault =
  /** There is no such object. */
  | "absent"
  /** There is such an object already. */
  | "exists"
  /** What was sent is not what was said. */
  | "damaged"
  /** The keys of the session are no longer valid. */
  | "expired"
  /** It may go well the next time. */
  | "momentary"
  | "elsewhere"
  | "denied"
  | "kmsDenied"
  | "unknown";

/** Codes of S3 and STS. Source: their API references, "Error responses". */
const codes: Readonly<Record<string, Fault>> = {
  NotFound: "absent",
  NoSuchKey: "absent",
  PreconditionFailed: "exists",
  XAmzContentSHA256Mismatch: "damaged",
  BadDigest: "damaged",
  InvalidDigest: "damaged",
  ExpiredToken: "expired",
  ExpiredTokenException: "expired",
  // Another write of the same object has not ended.
  ConditionalRequestConflict: "momentary",
  OperationAborted: "momentary",
  RequestTimeout: "momentary",
  SlowDown: "momentary",
  Throttling: "momentary",
  ThrottlingException: "momentary",
  RequestLimitExceeded: "momentary",
  "KMS.ThrottlingException": "momentary",
  TimeoutError: "momentary",
  NoSuchBucket: "denied",
  InvalidToken: "denied",
  PermanentRedirect: "elsewhere",
  AuthorizationHeaderMalformed: "elsewhere",
  IllegalLocationConstraintException: "elsewhere",
};

/** Answers without a code, as those to `HEAD` are. */
const statuses: Readonly<Record<number, Fault>> = {
  301: "elsewhere",
  // An expired token, of which a `HEAD` says no more.
  400: "expired",
  403: "denied",
  404: "absent",
  408: "momentary",
  412: "exists",
  429: "momentary",
};

/** What sockets fail of. */
const broken = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function statusOf(error: Error): number | undefined {
  if (!("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  const isTold = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return isTold && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}

/** What an error of the AWS SDK means. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return "unknown";
  const known = codes[error.name];
  if (known !== undefined) return known;
  const status = statusOf(error);
  if (status === undefined)
    return "code" in error && broken.test(textOf(error.code)) ? "momentary" : "unknown";
  if (status >= 500) return "momentary";
  // S3 says `AccessDenied` and names the action of the key's, or gives a code of its own.
  if (error.name.startsWith("KMS.") || (status === 403 && /kms/i.test(error.message))) return "kmsDenied";
  const isBare = error.name === "Unknown" || error.name === "UnknownError" || error.name === String(status);
  return status === 403 || isBare ? (statuses[status] ?? "unknown") : "unknown";
}

const errors: Readonly<Partial<Record<Fault, DeliveryErrorCode>>> = {
  damaged: "object_damaged",
  expired: "bucket_unavailable",
  momentary: "bucket_unavailable",
  elsewhere: "region_mismatch",
  denied: "bucket_denied",
  kmsDenied: "kms_denied",
};

/** An error of the AWS SDK as one of deliveries; one that says nothing of the bucket as it is. */
export function asBucketFault(error: unknown): unknown {
  const code = errors[faultOf(error)];
  return code === undefined || !(error instanceof Error)
    ? error
    : new DeliveryError(code, error.name, { cause: error });
}
