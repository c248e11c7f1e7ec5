import cors from "cors";
import type { RequestHandler } from "express";

/** Pages of which origins may ask: all, or those. */
export type Origins = "*" | readonly string[];

/** Headers of answers that scripts may read, beside those that they always may. */
const exposed: readonly string[] = [
  "OData-Version",
  "ETag",
  "Preference-Applied",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Entitlement-Version",
  "Server-Timing",
  "X-Request-Id",
];

/** How long a browser may remember what it was told, in seconds; none remembers it for longer. */
const maxAge = 7200;

/**
 * Lets pages of other origins ask, and answers a preflight, which comes without a key. Cookies play no part: a page
 * that may ask must still have a key. Source: Fetch Standard, section 3.3.
 */
export const crossOrigin = (origins: Origins): RequestHandler[] => [
  cors({
    origin: typeof origins === "string" ? origins : [...origins],
    methods: ["GET", "HEAD", "POST", "OPTIONS"],
    exposedHeaders: [...exposed],
    maxAge,
    preflightContinue: true,
  }),
  (req, res, next) => {
    const isPreflight = req.method === "OPTIONS" && req.get("access-control-request-method") !== undefined;
    if (isPreflight) res.status(204).end();
    else next();
  },
];

/** Read `*`, or origins with commas between. Undefined for what is neither. */
export function toOrigins(text: string): Origins | undefined {
  if (text === "*") return "*";
  const origins = text.split(",").map((origin) => origin.trim());
  return origins.every(isOrigin) ? origins : undefined;
}

/** A scheme, a host and a port or none, as browsers write them. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
