import type { ErrorRequestHandler } from "express";
import { errorFields, type Log } from "../log.ts";
import { sendAnswer } from "./answer.ts";
import { odataErrorAnswer, type PublicError, plainErrorAnswer, toPublicError } from "./error-body.ts";
import { isOdata } from "./odata-protocol.ts";
import { findContext } from "./request-context.ts";

/**
 * Answers every error in the format of the path: OData's or the plain one. Internal details are only logged.
 *
 * @param noteError called first with every error
 */
export function onError(log: Log, noteError: (error: unknown) => void = () => {}): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    noteError(error);
    const context = findContext(req);
    const shown = toPublicError(error, context?.optionTexts);
    // If the client has disconnected, the work was aborted and did not fail.
    if (!res.destroyed) {
      if (context !== undefined) context.errorCode = shown.code;
      logFailure(log, context?.requestId, error, shown);
    }
    // Part of the answer was already sent, so Express closes the connection.
    if (res.headersSent) return next(error);
    // Caches may store some statuses by default: 404, 405, 410 and 414. Source: RFC 9110, section 15.1.
    res.setHeader("cache-control", "no-store");
    sendAnswer(res, isOdata(req.originalUrl) ? odataErrorAnswer(shown) : plainErrorAnswer(shown));
  };
}

/** Logs an error that is the fault of the service. */
export function logFailure(
  log: Log,
  requestId: string | undefined,
  error: unknown,
  shown: PublicError,
): void {
  if (shown.status >= 500 && shown.status !== 501) log.error({ requestId, ...errorFields(error) }, "failed");
}
