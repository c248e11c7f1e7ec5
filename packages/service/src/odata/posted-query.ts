import type { Request } from "express";
import { Refused } from "../errors.ts";
import { type MediaType, parseMediaType } from "../http/odata-protocol.ts";
import { contentTypeOf, readRequestBody } from "../http/request-body.ts";
import { maxUrlLength } from "../http/request-head.ts";
import { encodeUnsafe } from "./unsafe.ts";

/** Longest query in a body, in bytes: with a path and a skip token it still fits into the URL of the next page. */
export const maxPostedQuery = maxUrlLength - 4096;

const types: ReadonlySet<string> = new Set(["text/plain", "application/x-www-form-urlencoded"]);

/**
 * Reads the query string from the body of `POST …/$query`. Source: OData URL Conventions 4.01, section 4.17.
 *
 * @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`
 */
export async function readPostedQuery(req: Request): Promise<string> {
  requireQueryType(contentTypeOf(req));
  return toQuery(await readRequestBody(req, maxPostedQuery));
}

/** Like {@link readPostedQuery}, for a request within a batch. */
export function postedQueryOf(contentType: string | undefined, body: string): string {
  requireQueryType(parseMediaType(contentType ?? ""));
  return toQuery(body);
}

function requireQueryType(type: MediaType | undefined): void {
  if (type === undefined || !types.has(type.type))
    throw new Refused("unsupported_media_type", {
      reason: `send ${[...types].map((one) => `\`${one}\``).join(" or ")}`,
    });
}

function toQuery(text: string): string {
  const query = encodeUnsafe(text.trimEnd());
  if (query.length > maxPostedQuery) throw new Refused("body_too_large");
  return query;
}
