import { EntitlementError } from "@cadastre/entitlement";
import { QueryError } from "@cadastre/odata";
import { StoreError, type StoreErrorCode } from "@cadastre/store";
import { type RefusalCode, Refused, statusOfQueryError, statusOfRefusal } from "../errors.ts";

/** What a client may know of an error. */
export type PublicError = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** What of the request is at fault: the name of an option. */
  readonly target: string | null;
  readonly details: readonly ErrorDetail[];
};

type ErrorDetail = { readonly code: string; readonly message: string; readonly target: string | null };

/** Longest message, detail and target, in bytes of JSON: the whole body stays under 1 kB. */
const maxMessage = 500;
const maxExcerpt = 200;
const maxTarget = 40;

/** Text around a fault that is shown with it, in code points to each side. */
const around = 30;

/**
 * What to tell the client of `error`. Whatever is not known to be safe to show is `internal_error`.
 *
 * @param optionTexts decoded text of the query options, to show the place of a fault in
 */
export function toPublicError(error: unknown, optionTexts?: ReadonlyMap<string, string>): PublicError {
  if (error instanceof QueryError) {
    const text = error.option === null ? undefined : optionTexts?.get(error.option);
    const target = error.option === null ? null : cut(error.option, maxTarget);
    return {
      status: statusOfQueryError(error.code),
      code: error.code,
      message: cut(error.message, maxMessage),
      target,
      details: placeOf(error, target, text),
    };
  }
  const refused = toRefusal(error);
  return {
    status: statusOfRefusal(refused.code),
    code: refused.code,
    message: refused.message,
    target: refused.target,
    details: [],
  };
}

/** What a store gives up, by its code. What is not here is the service's own fault. */
const storeRefusals: Partial<Record<StoreErrorCode, RefusalCode>> = {
  query_timeout: "query_timeout",
  // Nobody is there to read it.
  query_canceled: "service_busy",
  store_busy: "service_busy",
};

function toRefusal(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof StoreError) return new Refused(storeRefusals[error.code] ?? "internal_error");
  return new Refused(error instanceof EntitlementError ? error.publicCode : "internal_error");
}

/**
 * Where the fault is: `position 8 to 17` is a half-open range of UTF-16 code units, from 0, of the option's decoded
 * text; `excerpt` is that text with a caret under each character of the range.
 */
function placeOf(
  { span }: QueryError,
  target: string | null,
  text: string | undefined,
): readonly ErrorDetail[] {
  if (span === null) return [];
  const position = { code: "position", message: `position ${span.start} to ${span.end}`, target };
  if (text === undefined) return [position];
  const end = Math.max(span.end, span.start);
  const before = columns(text.slice(0, span.start)).slice(-around);
  const fault = columns(text.slice(span.start, end)).slice(0, around);
  const after = columns(text.slice(end)).slice(0, around - fault.length);
  const carets = "^".repeat(Math.max(fault.length, 1));
  const message = `${[...before, ...fault, ...after].join("")}\n${" ".repeat(before.length)}${carets}`;
  const excerpt = { code: "excerpt", message, target };
  return jsonLength(message) > maxExcerpt ? [position] : [position, excerpt];
}

/** Code points, one column each: control characters would move the caret. */
const columns = (text: string) =>
  Array.from(text, (character) => (/\p{C}/u.test(character) ? " " : character));

const jsonLength = (text: string) => Buffer.byteLength(JSON.stringify(text));

/** The start of `text` that is at most `most` bytes of JSON. */
function cut(text: string, most: number): string {
  if (jsonLength(text) <= most) return text;
  const characters = Array.from(text.slice(0, most));
  let kept = characters.length;
  while (jsonLength(characters.slice(0, kept).join("")) > most - 3) kept = Math.floor(kept * 0.9);
  return `${characters.slice(0, kept).join("")}…`;
}

/** The error object of OData. Source: OData JSON Format 4.01, section 21. */
export function odataErrorBody({ code, message, target, details }: PublicError): string {
  const withTarget = (detail: ErrorDetail) => ({
    code: detail.code,
    message: detail.message,
    ...(detail.target === null ? {} : { target: detail.target }),
  });
  return JSON.stringify({
    error: {
      code,
      message,
      ...(target === null ? {} : { target }),
      ...(details.length === 0 ? {} : { details: details.map(withTarget) }),
    },
  });
}

/** The error body of every other address. Source: interface specification, section 7. */
export const plainErrorBody = ({ code }: PublicError): string => JSON.stringify({ error: code });
