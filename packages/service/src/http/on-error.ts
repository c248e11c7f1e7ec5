import type { ErrorRequestHandler, Request, Response } from "express";
import { describe, type Log } from "../log.ts";
import { isOdata, jsonType } from "../odata/protocol.ts";
import { sendBody } from "./answer.ts";
import { odataErrorBody, type PublicError, plainErrorBody, toPublicError } from "./error-body.ts";
import { findContext } from "./request-context.ts";

/** Answers every error in the form of the address's family. The log alone learns what happened inside. */
export function onError(log: Log): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const context = findContext(req);
    const shown = toPublicError(error, context?.optionTexts);
    // What nobody waits for any more was given up, and did not fail.
    if (shown.status >= 500 && shown.status !== 501 && !res.destroyed) {
      log.error({ requestId: context?.requestId, ...describe(error) }, "failed");
    }
    // Express closes the connection: half of an answer has gone out already.
    if (res.headersSent) return next(error);
    sendError(req, res, shown);
  };
}

function sendError(req: Request, res: Response, shown: PublicError): void {
  res.status(shown.status);
  if (shown.status === 401) res.setHeader("www-authenticate", 'Bearer realm="cadastre"');
  if (shown.code === "service_busy") res.setHeader("retry-after", "1");
  if (shown.status === 405) res.setHeader("allow", "GET, HEAD");
  if (isOdata(req.originalUrl)) sendBody(res, jsonType, odataErrorBody(shown));
  else sendBody(res, "application/json", plainErrorBody(shown));
}
