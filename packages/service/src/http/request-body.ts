import type { IncomingMessage, ServerResponse } from "node:http";
import { TurnQueue } from "@cadastre/delivery";
import { exceedsLimits } from "@cadastre/manifest";
import { type MediaType, parseMediaType, readBodyText } from "@cadastre/server/parts";
import type { Request } from "express";
import { Refused } from "../errors.ts";

/** Returns the media type of the request's body; undefined if it is missing or malformed. */
const contentTypeOf = (req: Request): MediaType | undefined => parseMediaType(req.get("content-type") ?? "");

/** Returns the text of the request's body. See `readBodyText` for its errors. */
export const readRequestBody = (req: Request, limit: number): Promise<string> =>
  readBodyText(
    () => piecesOf(req, wanted),
    (name) => req.get(name),
    limit,
  );

/** With a share of no time, one piece is read in each turn of the event loop. */
const wanted = new TurnQueue(0);
const unwanted = new TurnQueue(0);

/** Yields the bytes of a body as they arrive, each piece but the first in a turn of its own. Stopping early does not close the connection. */
async function* piecesOf(req: IncomingMessage, turns: TurnQueue): AsyncGenerator<Buffer, void> {
  for await (const piece of req.iterator({ destroyOnReturn: false })) {
    yield piece as Buffer;
    if (!req.complete) await turns.next();
  }
}

/**
 * Has what is left of the request's body read in turns once the response was sent, so that the connection can be used again. Node would
 * read everything that has arrived at once, and V8 spends milliseconds on garbage for each 64 kB.
 */
export function discardInTurns(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers["content-length"] === undefined && req.headers["transfer-encoding"] === undefined) return;
  // Comes before the listener of Node, which leaves a body alone that has been read from.
  res.prependOnceListener("finish", () => {
    if (req.complete) return;
    req.read();
    void discard(req);
  });
}

async function discard(req: IncomingMessage): Promise<void> {
  const pieces = piecesOf(req, unwanted);
  try {
    while ((await pieces.next()).done !== true);
  } catch {
    // The connection was closed.
  }
}

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
