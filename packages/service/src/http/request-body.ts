import { exceedsLimits } from "@cadastre/manifest";
import { type MediaType, parseMediaType, readBodyText } from "@cadastre/server/parts";
import type { Request } from "express";
import { Refused } from "../errors.ts";

/** Returns the media type of the request's body; undefined if it is missing or malformed. */
const contentTypeOf = (req: Request): MediaType | undefined => parseMediaType(req.get("content-type") ?? "");

/** Returns the text of the request's body. See `readBodyText` for its errors. */
export const readRequestBody = (req: Request, limit: number): Promise<string> =>
  readBodyText(
    () => req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>,
    (name) => req.get(name),
    limit,
  );

/**
 * True if the JSON `text` has more than `most` values and members. Meant to be called before the text is parsed and checked against a
 * schema, which costs microseconds per value: a megabyte may hold 500,000 values.
 */
export const exceedsValueCount = (text: string, most: number): boolean =>
  exceedsLimits(Buffer.from(text), { values: most });

/** Maximum size of a body, in bytes. */
const maxBody = 16_384;

/** Maximum number of values and members of a body. The longest valid body is the list of events of a webhook. */
const maxValues = 200;

/**
 * Reads and parses a JSON body.
 *
 * @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`, `invalid_request`
 */
export async function readJsonBody(req: Request): Promise<unknown> {
  if (contentTypeOf(req)?.type !== "application/json")
    throw new Refused("unsupported_media_type", { target: "Content-Type", allowed: ["application/json"] });
  const text = await readRequestBody(req, maxBody);
  if (exceedsValueCount(text, maxValues))
    throw new Refused("invalid_request", { reason: "it has too many values" });
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("invalid_request", { reason: "it is not valid JSON" });
  }
}
