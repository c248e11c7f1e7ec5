/**
 * Helpers for any client of a server that may be busy, silent or hostile: retry delays, reading of bodies with a size limit, and signals of
 * time limits.
 *
 * @module
 */
export { retryAfter } from "@cadastre/manifest/retry";
export { anySignal } from "./any-signal.ts";
export { type BodyOptions, leaveBody, readBody } from "./body.ts";
export { backoff, defaultRetryPolicy, maxRetryAfter, type RetryPolicy } from "./retry-policy.ts";
