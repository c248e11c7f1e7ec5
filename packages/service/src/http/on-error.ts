import type { ErrorRequestHandler } from "express";
import { describe, type Log } from "../log.ts";
import { isOdata } from "../odata/protocol.ts";
import { sendAnswer } from "./answer.ts";
import { odataErrorAnswer, type PublicError, plainErrorAnswer, toPublicError } from "./error-body.ts";
import { findContext } from "./request-context.ts";

/**
 * Answers every error in the form of the address's family. Internal details are only logged.
 *
 * @param noteError called with every error first
 */
export function onError(log: Log, noteError: (error: unknown) => void = () => {}): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    noteError(error);
    const context = findContext(req);
    const shown = toPublicError(error, context?.optionTexts);
    // What nobody waits for any more was given up, and did not fail.
    if (!res.destroyed) logFailure(log, context?.requestId, error, shown);
    // Express closes the connection: half of an answer has gone out already.
    if (res.headersSent) return next(error);
    // Caches may store some statuses by default: 404, 405, 410 and 414. Source: RFC 9110, section 15.1.
    res.setHeader("cache-control", "no-store");
    sendAnswer(res, isOdata(req.originalUrl) ? odataErrorAnswer(shown) : plainErrorAnswer(shown));
  };
}

/** Logs what is the service's own fault. */
export function logFailure(
  log: Log,
  requestId: string | undefined,
  error: unknown,
  shown: PublicError,
): void {
  if (shown.status >= 500 && shown.status !== 501) log.error({ requestId, ...describe(error) }, "failed");
}
