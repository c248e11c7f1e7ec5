import { type ErrorObject, errorObject, QueryError } from "@cadastre/odata";
import { type Answer, minimalJsonType } from "@cadastre/server/parts";
import { statuses, toRefusal } from "../errors.ts";

/** The part of an error that a client may see. */
export type PublicError = ErrorObject & {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The values or members that are allowed at `target`. */
  readonly allowed?: readonly string[];
};

/**
 * Returns what the client is told of `error`. An error that is not known to be safe to show becomes `internal_error`.
 *
 * @param optionTexts decoded text of the query options, to quote the faulty place
 */
export function toPublicError(error: unknown, optionTexts?: ReadonlyMap<string, string>): PublicError {
  if (error instanceof QueryError) {
    const text = error.option === null ? undefined : optionTexts?.get(error.option);
    return { status: statuses[error.kind], headers: {}, ...errorObject(error, text) };
  }
  const { kind, code, message, details } = toRefusal(error);
  const { headers = {}, target, allowed, details: facts } = details;
  return {
    status: statuses[kind],
    headers,
    code,
    message,
    ...(target === undefined ? {} : { target }),
    ...(allowed === undefined ? {} : { allowed }),
    ...(facts === undefined ? {} : { details: facts }),
  };
}

/** The error response of OData. Source: OData JSON Format 4.01, section 21. */
export const odataErrorAnswer = ({
  status,
  headers,
  code,
  message,
  target,
  details,
}: PublicError): Answer => ({
  status,
  headers,
  contentType: minimalJsonType,
  body: JSON.stringify({ error: { code, message, target, details } }),
});

/**
 * The error response of all other paths: `error` is the code. Source: interface specification, section 7. The other members are
 * Cadastre's own.
 */
export const plainErrorAnswer = ({
  status,
  headers,
  code,
  message,
  target,
  allowed,
  details,
}: PublicError): Answer => ({
  status,
  headers,
  contentType: "application/json",
  body: JSON.stringify({ error: code, message, target, allowed, details, docs: `docs/errors.md#${code}` }),
});
