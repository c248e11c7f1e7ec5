import { errorObject, QueryError } from "@cadastre/odata";
import { Refused } from "../errors.ts";

/**
 * Returns what a client is told of a condition in the member `filter`: in place of the error of a query `invalid_filter`, with its code, and
 * the place of the fault. Any other error is returned as it is.
 *
 * @param text the condition, to quote the place
 */
export function conditionRefusal(error: unknown, text?: string): unknown {
  if (!(error instanceof QueryError)) return error;
  const { message, span, code } = error;
  const place = span === null ? "" : `, position ${span.start} to ${span.end}`;
  const { details = [] } = errorObject(error, text);
  return new Refused("invalid_filter", {
    reason: message + place,
    details: [
      { code, message },
      ...details.map((detail) => ({ code: detail.code, message: detail.message })),
    ],
  });
}
