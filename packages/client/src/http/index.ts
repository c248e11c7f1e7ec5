/**
 * Helpers for any client of a server that may be busy, silent or hostile: retry delays, and reading of bodies with a size limit.
 *
 * @module
 */
export { type BodyOptions, leaveBody, readBody } from "./body.ts";
export { backoff, defaultRetryPolicy, maxRetryAfter, type RetryPolicy, retryAfter } from "./retry-policy.ts";
