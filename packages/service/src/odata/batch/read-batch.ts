import type { Request } from "express";
import { Refused } from "../../errors.ts";
import type { Reservation } from "../../http/memory-budget.ts";
import { contentTypeOf, readBody } from "../../http/request-body.ts";
import type { Batch } from "./batch-item.ts";
import { readJsonBatch } from "./json-batch.ts";
import { readMultipartBatch } from "./multipart-batch.ts";

/** Longest body of a batch, in bytes. */
const maxBatchLength = 1_048_576;

/** Source: RFC 2046, section 5.1.1. */
const boundaryPattern = /;\s*boundary=(?<quote>"?)(?<boundary>[\w'()+,./:=?-]{1,70})\k<quote>\s*(?:;|$)/i;

/**
 * Reads the batch in the body of a request. A body that is not declared longer than it may be is reserved before it is read, and released
 * when it was read: clients that send the last byte late hold no more than their customer's share of the memory.
 *
 * @param limit requests that it may have
 * @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`, `invalid_batch`, and what `reserve` throws
 */
export async function readBatch(
  req: Request,
  limit: number,
  reserve: (bytes: number) => Promise<Reservation>,
): Promise<Batch> {
  const read = readerOf(req);
  const { release } = await reserve(
    Math.min(Number(req.get("content-length") ?? maxBatchLength), maxBatchLength),
  );
  try {
    return read(await readBody(req, maxBatchLength), limit);
  } finally {
    release();
  }
}

function readerOf(req: Request): (body: string, limit: number) => Batch {
  const type = contentTypeOf(req)?.type;
  if (type === "application/json") return readJsonBatch;
  if (type !== "multipart/mixed") throw new Refused("unsupported_media_type");
  const boundary = boundaryPattern.exec(req.get("content-type") ?? "")?.groups?.["boundary"];
  if (boundary === undefined) throw new Refused("invalid_batch", "Content-Type");
  return (body, limit) => readMultipartBatch(body, boundary, limit);
}
