/**
 * Answers OData requests over tables of your own.
 *
 * @module
 */
export { ProtocolError, type ProtocolErrorCode, protocolErrors } from "./errors.ts";
