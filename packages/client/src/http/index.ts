/**
 * Helpers for any client of a server that may be busy, silent or hostile: retry delays, and reading of bodies with a size limit.
 *
 * @module
 */
export { retryAfter } from "@cadastre/manifest/retry";
export { type BodyOptions, leaveBody, readBody } from "./body.ts";
export { backoff, defaultRetryPolicy, maxRetryAfter, type RetryPolicy } from "./retry-policy.ts";
