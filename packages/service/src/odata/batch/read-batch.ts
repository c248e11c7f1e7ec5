import type { Request } from "express";
import { Refused } from "../../errors.ts";
import { contentTypeOf, readRequestBody } from "../../http/request-body.ts";
import type { ParsedBatch } from "./batch-item.ts";
import { readJsonBatch } from "./json-batch.ts";
import { readMultipartBatch } from "./multipart-batch.ts";

/** Longest body of a batch, in bytes. */
export const maxBatchLength = 1_048_576;

/** Source: RFC 2046, section 5.1.1. */
const boundaryPattern = /;\s*boundary=(?<quote>"?)(?<boundary>[\w'()+,./:=?-]{1,70})\k<quote>\s*(?:;|$)/i;

/**
 * Reads the batch in the body of a request.
 *
 * @param limit most requests that it may have
 * @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`, `invalid_batch`
 */
export async function readBatch(req: Request, limit: number): Promise<ParsedBatch> {
  const read = readerOf(req);
  return read(await readRequestBody(req, maxBatchLength), limit);
}

function readerOf(req: Request): (body: string, limit: number) => ParsedBatch {
  const type = contentTypeOf(req)?.type;
  if (type === "application/json") return readJsonBatch;
  if (type !== "multipart/mixed")
    throw new Refused("unsupported_media_type", { reason: "send `application/json` or `multipart/mixed`" });
  const boundary = boundaryPattern.exec(req.get("content-type") ?? "")?.groups?.["boundary"];
  if (boundary === undefined) throw new Refused("invalid_batch", { target: "Content-Type" });
  return (body, limit) => readMultipartBatch(body, boundary, limit);
}
