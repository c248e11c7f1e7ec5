import cors from "cors";
import type { RequestHandler } from "express";

/** Origins that CORS allows: all, or those listed. */
export type Origins = "*" | readonly string[];

/** Response headers that scripts may read in addition to those that CORS always exposes. */
const exposed: readonly string[] = [
  "OData-Version",
  "ETag",
  "Link",
  "Preference-Applied",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Entitlement-Version",
  "Server-Timing",
  "X-Request-Id",
];

/** Time that a browser may cache a preflight response, in seconds. Chromium caches none for longer. */
const maxAge = 7200;

/**
 * Allows cross-origin requests and answers preflights, which carry no key. No cookies are involved: a page of an allowed origin still
 * needs a key. Source: Fetch Standard, section 3.3.
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

/** Parses `*` or a comma-separated list of origins. Returns undefined for any other text. */
export function toOrigins(text: string): Origins | undefined {
  if (text === "*") return "*";
  const origins = text.split(",").map((origin) => origin.trim());
  return origins.every(isOrigin) ? origins : undefined;
}

/** True for an origin as browsers write it: a scheme, a host and an optional port. */
const isOrigin = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text;
