/**
 * What any client of a server needs that may be busy, silent or hostile: pauses between tries, and answers read within bounds.
 *
 * @module
 */
export { type BodyOptions, leaveBody, readBody } from "./body.ts";
export { backoff, longestWait, type Patience, retryAfter, usualPatience } from "./patience.ts";
