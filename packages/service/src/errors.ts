import { DeliveryError, type DeliveryErrorKind, deliveryErrors } from "@cadastre/delivery";
import { EntitlementError, type EntitlementErrorKind } from "@cadastre/entitlement";
import { httpStatuses, ProtocolError, protocolErrors } from "@cadastre/server/parts";
import { StoreError, type StoreErrorKind, storeErrors } from "@cadastre/store";
import { DataError } from "./data/data-error.ts";

/** HTTP status of each kind of error, of every package. */
export const statuses = {
  ...httpStatuses,
  unauthenticated: 401,
  forbidden: 403,
  conflict: 409,
  gone: 410,
  range_not_satisfiable: 416,
  rate_limited: 429,
  unavailable: 503,
} as const satisfies Record<
  Exclude<DeliveryErrorKind | EntitlementErrorKind | StoreErrorKind, "operator">,
  number
> &
  Record<string, number>;

export type ErrorKind = keyof typeof statuses;

type ErrorEntry = {
  readonly kind: ErrorKind;
  /** Says what is wrong and what to do. */
  readonly message: string;
  /** The part of the request that is at fault. */
  readonly target?: string;
  /** Seconds after which the request may succeed. */
  readonly retryAfter?: number;
};

/**
 * Errors that the service itself finds, by their public code. A code that is no longer used stays here as a comment and is never used
 * again.
 */
const serviceErrors = {
  invalid_host: {
    kind: "invalid",
    message: "the header `Host` must be a host name or an IP address, and a port or none",
  },
  duplicate_header: {
    kind: "invalid",
    message:
      "the headers `Host`, `Authorization` and `x-api-key` may each be sent once: remove the repeated one",
  },
  invalid_property_id: {
    kind: "invalid",
    message: "the id of a property must have 1 to 256 characters, none of them a control character",
  },
  invalid_listing_key: {
    kind: "invalid",
    message: "the key of a listing must have 1 to 256 characters, none of them a control character",
  },
  invalid_geography: {
    kind: "invalid",
    message:
      "`geography` must be `national:US`, `state:TX`, `zip:78701` or `county:TX/Travis`, with a county of 1 to 200 characters",
  },
  invalid_box: {
    kind: "invalid",
    target: "box",
    message:
      "`box` must be west, south, east and north in degrees, such as `-98.1,30,-97.4,30.6`, with west below east and south below north",
  },
  invalid_cells: { kind: "invalid", target: "cells", message: "`cells` must be an integer from 1 to 128" },
  invalid_filter: { kind: "invalid", target: "filter", message: "`filter` is no valid condition" },
  invalid_limit: { kind: "invalid", target: "limit", message: "`limit` must be an integer from 1 to 500" },
  invalid_cursor: {
    kind: "invalid",
    target: "after",
    message: "`after` must be a `next_after` that you were given: start at the first page",
  },
  invalid_part: {
    kind: "invalid",
    target: "part",
    message: "`part` must be the number of a part in the manifest, or 0",
  },
  range_not_satisfiable: {
    kind: "range_not_satisfiable",
    message: "the range begins after the last byte: `Content-Range` says how many there are",
  },
  query_not_allowed: { kind: "invalid", message: "this address takes no query" },
  unknown_parameter: {
    kind: "invalid",
    message: "the query has a parameter that this address does not take",
  },
  duplicate_parameter: { kind: "invalid", message: "the query has a parameter more than once" },
  unauthorized: { kind: "unauthenticated", message: "a valid API key is required in the header `x-api-key`" },
  access_removed: {
    kind: "unauthenticated",
    message: "your API key has ended because your access was removed: delete what was delivered to you",
  },
  channel_not_entitled: { kind: "forbidden", message: "the entitlement does not grant this channel" },
  sign_in_unavailable: {
    kind: "not_found",
    message:
      "demo keys are given only to the page of a demo, in a browser of the machine that runs it, at the address that the service prints: paste a key instead",
  },
  invalid_sign_in_code: {
    kind: "forbidden",
    message:
      "the code of the sign-in is wrong, or was used: start the service again for another one, or paste a key",
  },
  too_much_in_flight: {
    kind: "rate_limited",
    retryAfter: 5,
    message:
      "your requests and answers in progress hold as much memory as one customer may use: finish them, or ask for fewer records",
  },
  rate_limited: {
    kind: "rate_limited",
    message: "too many requests: wait for as long as `Retry-After` says",
  },
  service_busy: {
    kind: "unavailable",
    retryAfter: 1,
    message: "the service has more queries than it can answer: try again shortly",
  },
  internal_error: { kind: "internal", message: "the service failed: give its operator the request id" },
  service_unavailable: {
    kind: "unavailable",
    retryAfter: 2,
    message: "the service is temporarily unavailable: try again shortly",
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** The codes of a table that clients may see. */
type PublicCodes<Table> = {
  [Code in keyof Table]: Table[Code] extends { readonly kind: "operator" } ? never : Code;
}[keyof Table];

/** Codes of other packages that clients see as one of the service's. */
const renamed = {
  parts_unavailable: "service_unavailable",
  database_unavailable: "service_unavailable",
  // Only the operator knows that there are replicas.
  replica_behind: "service_unavailable",
  // Without the registry the API key cannot be verified.
  registry_unavailable: "service_unavailable",
  store_busy: "service_busy",
  // Only happens after the client has disconnected, so nobody reads it.
  query_canceled: "service_busy",
} as const satisfies Partial<
  Record<PublicCodes<typeof deliveryErrors> | PublicCodes<typeof storeErrors>, keyof typeof serviceErrors>
>;

/** A public error code, other than those of queries. */
export type PublicCode = Exclude<
  | keyof typeof serviceErrors
  | keyof typeof protocolErrors
  | PublicCodes<typeof deliveryErrors>
  | PublicCodes<typeof storeErrors>,
  keyof typeof renamed
>;

const isPublic = ([code, { kind }]: readonly [string, { readonly kind: string }]): boolean =>
  kind !== "operator" && !Object.hasOwn(renamed, code);

/** Every public error, other than those of queries, by its code. Each code stands in the table of one package. */
export const publicErrors = Object.fromEntries(
  [deliveryErrors, storeErrors, protocolErrors, serviceErrors].flatMap((table) =>
    Object.entries(table).filter(isPublic),
  ),
) as Readonly<Record<PublicCode, ErrorEntry>>;

/** The header `WWW-Authenticate` of errors with status 401. Source: RFC 6750, section 3. */
const challenges: Partial<Record<PublicCode, string>> = {
  unauthorized: 'Bearer realm="cadastre"',
  access_removed: 'Bearer realm="cadastre"',
  invalid_token: 'Bearer realm="cadastre", error="invalid_token"',
};

/** Details of a refusal for the client. */
export type RefusalDetails = {
  /** The part of the request that is at fault, such as the name of an option or a member of the body. */
  readonly target?: string | undefined;
  /** The values or members that are allowed there. */
  readonly allowed?: readonly string[] | undefined;
  /** The fault of this request, which follows the message of the code. */
  readonly reason?: string | undefined;
  /** Facts about the fault, each with a code: of a condition its error code, and the position. */
  readonly details?: readonly { readonly code: string; readonly message: string }[] | undefined;
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** A refused request, for a reason other than its query. Safe to show to the client. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: PublicCode;
  readonly kind: ErrorKind;
  readonly details: RefusalDetails;

  constructor(code: PublicCode, { target, allowed, reason, details, headers }: RefusalDetails = {}) {
    const entry = publicErrors[code];
    super(reason === undefined ? entry.message : `${entry.message}: ${reason}`);
    this.code = code;
    this.kind = entry.kind;
    const challenge = challenges[code];
    this.details = {
      target: target ?? entry.target,
      allowed,
      details,
      headers: {
        ...(entry.retryAfter === undefined ? {} : { "retry-after": String(entry.retryAfter) }),
        ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
        ...headers,
      },
    };
  }
}

/** Converts an error to what a client may see of it. An error that only the operator can act on becomes `internal_error`. */
export function toRefusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof ProtocolError) return new Refused(error.code, error.details);
  if (error instanceof DeliveryError || error instanceof StoreError) {
    if (error.kind === "operator") return new Refused("internal_error");
    const code = error.code as PublicCode | keyof typeof renamed;
    const details = error instanceof DeliveryError ? error.details : {};
    return code in renamed
      ? new Refused(renamed[code as keyof typeof renamed])
      : new Refused(code as PublicCode, details);
  }
  if (error instanceof DataError) return new Refused("service_unavailable");
  return new Refused(error instanceof EntitlementError ? error.publicCode : "internal_error");
}
