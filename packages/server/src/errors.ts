import type { QueryErrorKind } from "@cadastre/odata";

/** HTTP status of each kind of error that a request may be refused with. */
export const httpStatuses = {
  invalid: 400,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  failed_dependency: 424,
  internal: 500,
  not_implemented: 501,
} as const satisfies Record<QueryErrorKind, number> & Record<string, number>;

export type ProtocolErrorKind = keyof typeof httpStatuses;

/**
 * Errors of a request other than those of its query, by their public code. A code that is no longer used stays here as a comment and is
 * never used again.
 */
export const protocolErrors = {
  unsupported_version: {
    kind: "invalid",
    message: "`OData-MaxVersion` must be 4.0 or above, and `OData-Version` 4.0 or 4.01",
  },
  invalid_encoding: { kind: "invalid", message: "the path is not valid percent-encoded UTF-8" },
  invalid_batch: { kind: "invalid", message: "the body is not a valid batch of requests" },
  no_raw_value: {
    kind: "invalid",
    message:
      "`$value` is only available for a property that is not a collection: read the entity or the property itself",
  },
  not_found: { kind: "not_found", message: "nothing that you may see is at this address" },
  method_not_allowed: {
    kind: "method_not_allowed",
    message: "the method is not allowed here: the header `Allow` lists those that are",
  },
  not_acceptable: {
    kind: "not_acceptable",
    message:
      "the format is not offered: data is `application/json`, collections also `csv`, `geojson` and `jsonl`, counts and values are `text/plain`, metadata is either XML or JSON",
  },
  delta_link_expired: {
    kind: "gone",
    message:
      "the changes since this delta link cannot be told any more: it is too old, or what you may see is another since then; read the whole result again, from the address in the header `Location`",
  },
  precondition_failed: {
    kind: "precondition_failed",
    message: "the resource has another ETag: read it again",
  },
  body_too_large: { kind: "too_large", message: "the body is longer than this address takes" },
  uri_too_long: { kind: "uri_too_long", message: "an address must have at most 65536 characters" },
  unsupported_media_type: {
    kind: "unsupported_media_type",
    message: "the media type or encoding of the body is not accepted here",
  },
  failed_dependency: { kind: "failed_dependency", message: "a request that this one depends on has failed" },
  not_implemented: { kind: "not_implemented", message: "the service does not offer this" },
} as const satisfies Readonly<Record<string, { readonly kind: ProtocolErrorKind; readonly message: string }>>;

export type ProtocolErrorCode = keyof typeof protocolErrors;

/** Details of an error for the client. */
export type ProtocolErrorDetails = {
  /** The part of the request that is at fault, such as the name of an option or of a header. */
  readonly target?: string | undefined;
  /** The fault of this request, which follows the message of the code. */
  readonly reason?: string | undefined;
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** A refused request, for a reason other than its query. Safe to show to the client. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ProtocolErrorCode;
  readonly kind: ProtocolErrorKind;
  readonly details: ProtocolErrorDetails;

  constructor(code: ProtocolErrorCode, details: ProtocolErrorDetails = {}) {
    const { kind, message } = protocolErrors[code];
    super(details.reason === undefined ? message : `${message}: ${details.reason}`);
    this.code = code;
    this.kind = kind;
    this.details = details;
  }
}

/** A request that the host refuses, such as one without a valid key. Its message is shown to the client. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param status HTTP status, such as 401
   * @param code stable code, such as `unauthorized`
   * @param headers additional headers of the answer, such as `www-authenticate`
   */
  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
