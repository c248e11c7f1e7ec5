import { ProtocolError } from "../errors.ts";
import { parseMediaType } from "../protocol/media-type.ts";
import type { ParsedBatch } from "./batch-item.ts";
import { readJsonBatch } from "./json-batch.ts";
import { readMultipartBatch } from "./multipart-batch.ts";

/** Longest body of a batch, in bytes. */
export const maxBatchLength = 1_048_576;

/** Source: RFC 2046, section 5.1.1. */
const boundaryPattern = /;\s*boundary=(?<quote>"?)(?<boundary>[\w'()+,./:=?-]{1,70})\k<quote>\s*(?:;|$)/i;

/**
 * Returns the parser of a batch of this media type. It takes the body and the maximum number of requests, and throws `invalid_batch` and
 * `body_too_large`.
 *
 * @throws {ProtocolError} `unsupported_media_type`, `invalid_batch`
 */
export function batchParser(contentType: string | undefined): (body: string, limit: number) => ParsedBatch {
  const type = parseMediaType(contentType ?? "")?.type;
  if (type === "application/json") return readJsonBatch;
  if (type !== "multipart/mixed")
    throw new ProtocolError("unsupported_media_type", {
      reason: "send `application/json` or `multipart/mixed`",
    });
  const boundary = boundaryPattern.exec(contentType ?? "")?.groups?.["boundary"];
  if (boundary === undefined) throw new ProtocolError("invalid_batch", { target: "Content-Type" });
  return (body, limit) => readMultipartBatch(body, boundary, limit);
}
