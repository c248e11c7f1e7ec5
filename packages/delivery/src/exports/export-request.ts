import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { canonicalText } from "@cadastre/manifest";
import type { FileDeliveryRequest } from "./delivery-request.ts";

/** An authenticated caller, as its API key proves it. */
export type ApiKeyCaller = {
  readonly scope: Scope;
  /** Id of the API key. Part grants are bound to it. */
  readonly apiKey: string;
};

/** Body and idempotency key of `POST /v1/file-exports`. Source: interface specification, section 2.9. */
export type FileExportRequest = FileDeliveryRequest & {
  /** The same for all retries of a request. */
  readonly idempotencyKey: string;
};

/** A customer's statement that it has loaded a delivery. Source: interface specification, section 2.9. */
export type AcknowledgementRequest = {
  readonly generation: number;
  readonly sequence: number;
  readonly manifestSha256: string;
  readonly reference: string;
};

/** Longest idempotency key, in UTF-16 code units. */
export const maxKeyLength = 255;

/** Longest reference that a customer may give to an acknowledgement, in UTF-16 code units. */
export const maxReferenceLength = 256;

/** True if every database stores the text unchanged: it has no control characters and no lone surrogates. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** True if the text is a valid idempotency key. */
export const isKey = (text: string): boolean =>
  text.length > 0 && text.length <= maxKeyLength && isPlainText(text);

/** Returns the SHA-256 of a request without its idempotency key. */
export const exportFingerprint = ({
  domain,
  deliveryMode,
  destinationId,
  profileId,
}: FileExportRequest): string =>
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
