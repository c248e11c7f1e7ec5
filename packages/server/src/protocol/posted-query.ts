import { ProtocolError } from "../errors.ts";
import { parseMediaType } from "./media-type.ts";
import { encodeUnsafe, maxUrlLength } from "./url-text.ts";

/** Longest query in a body, in bytes: with a path and a skip token it still fits into the URL of the next page. */
export const maxPostedQuery = maxUrlLength - 4096;

const types: ReadonlySet<string> = new Set(["text/plain", "application/x-www-form-urlencoded"]);

/** @throws {ProtocolError} `unsupported_media_type` if a body of this type holds no query */
export function requireQueryType(contentType: string | undefined): void {
  const type = parseMediaType(contentType ?? "");
  if (type === undefined || !types.has(type.type))
    throw new ProtocolError("unsupported_media_type", {
      reason: `send ${[...types].map((one) => `\`${one}\``).join(" or ")}`,
    });
}

/**
 * Returns the query string that the body of `POST …/$query` holds. Source: OData URL Conventions 4.01, section 4.17.
 *
 * @throws {ProtocolError} `unsupported_media_type`, `body_too_large`
 */
export function postedQueryOf(contentType: string | undefined, body: string): string {
  requireQueryType(contentType);
  const query = encodeUnsafe(body.trimEnd());
  if (query.length > maxPostedQuery) throw new ProtocolError("body_too_large");
  return query;
}
