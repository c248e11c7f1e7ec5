import { errorObject, QueryError } from "@cadastre/odata";
import { HttpError, httpStatuses, ProtocolError } from "../errors.ts";
import { minimalJsonType } from "../protocol/format.ts";
import type { Answer } from "./answer.ts";

/**
 * Returns the answer to a request that failed. Of an error that is not a `QueryError`, a `ProtocolError` or an `HttpError` it says nothing.
 * Source: OData JSON Format 4.01, section 21.
 *
 * @param texts decoded texts of the query options, to quote the faulty place
 */
export function errorAnswer(error: unknown, texts?: ReadonlyMap<string, string>): Answer {
  if (error instanceof QueryError) {
    const text = error.option === null ? undefined : texts?.get(error.option);
    return answerOf(httpStatuses[error.kind], errorObject(error, text));
  }
  if (error instanceof ProtocolError) {
    const { code, kind, message, details } = error;
    return answerOf(httpStatuses[kind], { code, message, target: details.target }, details.headers);
  }
  if (error instanceof HttpError)
    return answerOf(error.status, { code: error.code, message: error.message }, error.headers);
  return answerOf(httpStatuses.internal, { code: "internal_error", message: "the server failed" });
}

const answerOf = (status: number, error: object, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers,
  contentType: minimalJsonType,
  body: JSON.stringify({ error }),
});
