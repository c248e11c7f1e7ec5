import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";

/** Meaning of an error of S3 or STS. */
export type StorageFault =
  /** The object does not exist. */
  | "absent"
  /** The object exists already. */
  | "exists"
  /** The bytes sent do not match their hash. */
  | "damaged"
  /** The keys of the session are no longer valid. */
  | "expired"
  /** Transient: a retry may succeed. */
  | "momentary"
  | "elsewhere"
  | "denied"
  | "kmsDenied"
  | "unknown";

/** Meanings of the error codes of S3 and STS. Source: their API references, "Error responses". */
const codes: Readonly<Record<string, StorageFault>> = {
  NotFound: "absent",
  NoSuchKey: "absent",
  PreconditionFailed: "exists",
  XAmzContentSHA256Mismatch: "damaged",
  BadDigest: "damaged",
  InvalidDigest: "damaged",
  ExpiredToken: "expired",
  ExpiredTokenException: "expired",
  // Another write of the same object is in progress.
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

/** Meanings of statuses, for responses without an error code, as those to `HEAD`, and for 403 with an unknown code. */
const statuses: Readonly<Record<number, StorageFault>> = {
  301: "elsewhere",
  // A `HEAD` with an expired token is answered with this status and no code.
  400: "expired",
  403: "denied",
  404: "absent",
  408: "momentary",
  412: "exists",
  429: "momentary",
};

/** Error codes of sockets that are transient. */
const broken = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function statusOf(error: Error): number | undefined {
  if (!("$metadata" in error)) return undefined;
  const { $metadata: metadata } = error;
  const isTold = typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata;
  return isTold && typeof metadata.httpStatusCode === "number" ? metadata.httpStatusCode : undefined;
}

/** Returns the meaning of an error of the AWS SDK. */
export function storageFaultOf(error: unknown): StorageFault {
  if (!(error instanceof Error)) return "unknown";
  const known = codes[error.name];
  if (known !== undefined) return known;
  const status = statusOf(error);
  if (status === undefined)
    return "code" in error && broken.test(textOf(error.code)) ? "momentary" : "unknown";
  if (status >= 500) return "momentary";
  // S3 reports `AccessDenied` with the name of the KMS action in its message, or a `KMS.` code.
  if (error.name.startsWith("KMS.") || (status === 403 && /kms/i.test(error.message))) return "kmsDenied";
  const isBare = error.name === "Unknown" || error.name === "UnknownError" || error.name === String(status);
  return status === 403 || isBare ? (statuses[status] ?? "unknown") : "unknown";
}

const errors: Readonly<Partial<Record<StorageFault, DeliveryErrorCode>>> = {
  damaged: "object_damaged",
  expired: "bucket_unavailable",
  momentary: "bucket_unavailable",
  elsewhere: "region_mismatch",
  denied: "bucket_denied",
  kmsDenied: "kms_denied",
};

/** Translates an error of the AWS SDK into a `DeliveryError`. Returns `absent`, `exists` and unknown errors unchanged. */
export function asBucketFault(error: unknown): unknown {
  const code = errors[storageFaultOf(error)];
  return code === undefined || !(error instanceof Error)
    ? error
    : new DeliveryError(code, error.name, { cause: error });
}
