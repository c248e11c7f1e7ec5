import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { listLimits } from "./schemas.ts";

/** Responses that hold a secret or confirm a change must not be cached. */
const noStore = { "cache-control": "no-store" } as const;

/** Returns a response with an object as its data. */
export const dataResponse = (
  data: Readonly<Record<string, unknown>>,
  request: DeliveryRequest,
  meta = {},
): Answer => enveloped(data, request.caller.scope, meta);

/** Returns the response with another status, without an ETag, and marked as not cacheable. */
export function noStoreResponse(
  { contentType, body }: Answer,
  status: number,
  headers: Answer["headers"] = {},
): Answer & { readonly contentType: string } {
  return { status, contentType: contentType ?? "", body, headers: { ...noStore, ...headers } };
}

/** @throws {Refused} `invalid_limit` */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return listLimits.default;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > listLimits.most) throw new Refused("invalid_limit");
  return limit;
}
