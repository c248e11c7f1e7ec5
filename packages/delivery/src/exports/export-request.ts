import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { canonicalText } from "@cadastre/manifest";
import type { DeliveryRequest } from "./delivery-request.ts";

/** Who asks: what an API key proves. */
export type Caller = {
  readonly scope: Scope;
  /** Id of the API key, to which grants are bound. */
  readonly apiKey: string;
};

/** What is asked for by `POST /v1/file-exports`. Source: interface specification, section 2.9. */
export type ExportRequest = DeliveryRequest & {
  /** Stable across retries. */
  readonly idempotencyKey: string;
};

/** What a customer says to have loaded. Source: interface specification, section 2.9. */
export type AcknowledgementRequest = {
  readonly generation: number;
  readonly sequence: number;
  readonly manifestSha256: string;
  readonly reference: string;
};

/** Longest idempotency key, in UTF-16 code units. */
export const maxKeyLength = 255;

/** Longest name that a customer gives to what it has loaded, in UTF-16 code units. */
export const maxReferenceLength = 256;

/** Whether databases hold a text as it is: no controls, no halves of surrogates. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** Whether a text may be an idempotency key. */
export const isKey = (text: string): boolean =>
  text.length > 0 && text.length <= maxKeyLength && isPlainText(text);

/** SHA-256 of what a request says, whatever its key. */
export const fingerprintOf = ({ domain, deliveryMode, destinationId, profileId }: ExportRequest): string =>
  createHash("sha256")
    .update(
      canonicalText({
        domain,
        deliveryMode,
        destinationId: destinationId ?? null,
        profileId: profileId ?? null,
      }),
    )
    .digest("hex");
