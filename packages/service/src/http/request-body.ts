import { exceedsLimits } from "@cadastre/manifest";
import { type MediaType, parseMediaType, readBodyText } from "@cadastre/server/parts";
import type { Request } from "express";

/** Returns the media type of the request's body; undefined if it is missing or malformed. */
export const contentTypeOf = (req: Request): MediaType | undefined =>
  parseMediaType(req.get("content-type") ?? "");

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
