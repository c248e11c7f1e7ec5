import { retryAfter } from "@cadastre/manifest/retry";
import { ClientError, type ClientErrorCode } from "../errors.ts";
import { leaveBody, readBody } from "./body.ts";
import { TransientError } from "./transient-error.ts";

/** Statuses of transient errors. */
const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Error codes of the contract that are retried whatever their status, with the error to report if retries do not help. */
const passingCodes: Readonly<Record<string, { readonly reason?: string; readonly code?: ClientErrorCode }>> =
  {
    // The server is still answering an earlier request with the same idempotency key.
    idempotency_in_progress: {},
    too_many_exports: { reason: "as many exports of yours as are allowed are in progress" },
    part_rebuilding: { reason: "it is rebuilding the part", code: "part_rebuilding" },
  };

const codeOfStatus: Readonly<Record<number, ClientErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  410: "delivery_expired",
};

/** Errors by the error codes of the contract, whatever their status. */
const codeOfError: Readonly<Record<string, ClientErrorCode>> = {
  access_removed: "access_removed",
  delivered_to_bucket: "delivered_to_bucket",
  delta_link_expired: "delta_link_expired",
  delivery_not_complete: "delivery_not_ready",
  entitlement_changed: "entitlement_changed",
  manifest_conflict: "acknowledge_conflict",
  part_lost: "part_lost",
  sequence_conflict: "acknowledge_conflict",
  subscription_canceled: "subscription_canceled",
};

/** Longest error answer that is read, in bytes. */
const maxRefusal = 65_536;

/** Returns the error for an answer that is not a success. */
export async function refusalOf({ status, headers, body }: Response, signal: AbortSignal): Promise<Error> {
  if (status >= 300 && status < 400) {
    leaveBody(body);
    return new ClientError("redirect_refused");
  }
  const told = errorCodeOf(await readBody(body, { signal, most: maxRefusal }).catch(() => undefined));
  const passes = entryOf(passingCodes, told.code);
  if (passing.has(status) || passes !== undefined) {
    const wait = retryAfter(headers.get("retry-after"), Date.now());
    const finalError = passes?.code === undefined ? {} : { finalError: new ClientError(passes.code) };
    return new TransientError(passes?.reason ?? `it gave ${status}`, { wait, ...finalError });
  }
  const cause = entryOf(codeOfError, told.code) ?? codeOfStatus[status] ?? "request_refused";
  return new ClientError(cause, { status: String(status), ...told });
}

/** Looks up a code of the server's. It may be any text, such as `constructor`, so only own entries count. */
const entryOf = <T>(table: Readonly<Record<string, T>>, code = ""): T | undefined =>
  Object.hasOwn(table, code) ? table[code] : undefined;

/** Returns the error code of a body in this service's form or OData's. A code that is not a short word is not shown. */
function errorCodeOf(bytes: Buffer | undefined): { readonly code?: string } {
  try {
    const { error } = JSON.parse(bytes?.toString("utf8") ?? "") as { error?: unknown };
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : error;
    return typeof code === "string" && /^\w{1,64}$/.test(code) ? { code } : {};
  } catch {
    return {};
  }
}
