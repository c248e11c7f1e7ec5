import type { AliasUse, QueryError } from "./errors.ts";
import type { Span } from "./syntax/tree.ts";

type Detail = { readonly code: string; readonly message: string; readonly target?: string };

/** The `error` of an error response. Source: OData JSON Format 4.01, section 21. */
export type ErrorObject = {
  readonly code: string;
  readonly message: string;
  /** Name of the query option at fault. */
  readonly target?: string;
  readonly details?: readonly Detail[];
};

/**
 * Size limits of the message, an excerpt and a target, in bytes of JSON. They keep the whole object under 1 kB.
 */
const maxMessage = 500;
const maxMessageWithUse = 380;
const maxExcerpt = 200;
const maxTarget = 40;

/** Code points of context shown on each side of a fault. */
const around = 30;

/**
 * Returns the `error` object of an error response, at most 1 kB of JSON: code, message, option, and the
 * position of the fault. `position 8 to 17` is a half-open range of UTF-16 code units, counted from 0, in the
 * decoded text of the option; `excerpt` is that text with a caret under each character of the range. If the fault
 * is in the value of a parameter alias, the detail `use` holds the position of the alias in the option that uses
 * it, and names that option as its `target`.
 *
 * @param text decoded text of the option at fault. Without it there is no excerpt.
 */
export function errorObject(error: QueryError, text?: string): ErrorObject {
  const target = error.option === null ? {} : { target: cut(error.option, maxTarget) };
  const { use } = error;
  const details = [
    ...placeOf(error, text).map((detail) => ({ ...detail, ...target })),
    ...(use === null ? [] : [useDetail(use)]),
  ];
  return {
    code: error.code,
    message: cut(error.message, use === null ? maxMessage : maxMessageWithUse),
    ...target,
    ...(details.length === 0 ? {} : { details }),
  };
}

const positionOf = ({ start, end }: Span): string => `position ${start} to ${end}`;

const useDetail = ({ span, option }: AliasUse): Detail => ({
  code: "use",
  message: positionOf(span),
  ...(option === null ? {} : { target: cut(option, maxTarget) }),
});

function placeOf({ span }: QueryError, text: string | undefined): readonly Detail[] {
  if (span === null) return [];
  const position = { code: "position", message: positionOf(span) };
  if (text === undefined) return [position];
  const end = Math.max(span.end, span.start);
  const before = characterColumns(text.slice(Math.max(0, span.start - 2 * around), span.start)).slice(
    -around,
  );
  const fault = characterColumns(text.slice(span.start, Math.min(end, span.start + 2 * around))).slice(
    0,
    around,
  );
  const after = characterColumns(text.slice(end, end + 2 * around)).slice(0, around - fault.length);
  const carets = "^".repeat(Math.max(fault.length, 1));
  const message = `${[...before, ...fault, ...after].join("")}\n${" ".repeat(before.length)}${carets}`;
  return jsonLength(message) > maxExcerpt ? [position] : [position, { code: "excerpt", message }];
}

/**
 * Splits text into code points, each one column wide. Control characters would move the caret, so they become
 * spaces.
 */
const characterColumns = (text: string) =>
  Array.from(text, (character) => (/\p{C}/u.test(character) ? " " : character));

const jsonLength = (text: string) => Buffer.byteLength(JSON.stringify(text));

/** Truncates `text` to at most `most` bytes of JSON. */
function cut(text: string, most: number): string {
  if (jsonLength(text) <= most) return text;
  const characters = Array.from(text.slice(0, most));
  let kept = characters.length;
  while (jsonLength(characters.slice(0, kept).join("")) > most - 3) kept = Math.floor(kept * 0.9);
  return `${characters.slice(0, kept).join("")}…`;
}
