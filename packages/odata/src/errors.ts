import type { Span } from "./syntax/tree.ts";

type Details = Readonly<Record<string, string | number>>;

const suggestion = (d: Details) =>
  d["suggestion"] === undefined ? "" : `, did you mean \`${d["suggestion"]}\`?`;

/** Advice of what to write instead, in parentheses; empty without one. */
const hint = (d: Details) => (d["hint"] === undefined ? "" : ` (${d["hint"]})`);

/**
 * Messages of all errors a query can be refused with. The key is the public, stable error code. A code that is no
 * longer thrown stays here as a comment and is never reused.
 */
export const queryErrors = {
  syntax_error: (d: Details) => `expected ${d["expected"]}, found ${d["found"]}`,
  invalid_literal: (d: Details) => `\`${d["text"]}\` is not a valid ${d["type"]}: ${d["reason"]}`,
  unknown_property: (d: Details) => `unknown property \`${d["name"]}\`${suggestion(d)}${hint(d)}`,
  unknown_function: (d: Details) => `unknown function \`${d["name"]}\`${suggestion(d)}`,
  unknown_type: (d: Details) => `unknown type \`${d["name"]}\``,
  unknown_alias: (d: Details) => `parameter alias \`${d["name"]}\` has no value in the query`,
  wrong_arguments: (d: Details) =>
    `\`${d["name"]}\` expects ${d["expected"]}, got (${d["actual"]})${hint(d)}`,
  type_mismatch: (d: Details) => `\`${d["operator"]}\` cannot be applied to ${d["actual"]}${hint(d)}`,
  not_boolean: (d: Details) => `expected a boolean expression, got ${d["actual"]}`,
  not_sortable: (d: Details) => `cannot order by ${d["actual"]}`,
  not_a_collection: (d: Details) => `\`${d["operator"]}\` needs a collection, got ${d["actual"]}`,
  not_supported: (d: Details) => `${d["feature"]} is not supported`,
  unknown_option: (d: Details) => `unknown query option \`${d["name"]}\`${suggestion(d)}`,
  option_not_allowed: (d: Details) =>
    `query option \`${d["name"]}\` is not allowed here: this address takes ${d["allowed"]}`,
  duplicate_option: (d: Details) => `query option \`${d["name"]}\` is given more than once`,
  invalid_option: (d: Details) => `\`${d["name"]}\` must be ${d["expected"]}, got \`${d["text"]}\``,
  conflicting_options: (d: Details) => `\`${d["name"]}\` cannot be combined with \`${d["other"]}\``,
  invalid_encoding: (d: Details) => `the query string is not valid percent-encoded UTF-8: ${d["reason"]}`,
  invalid_skip_token: () => "the `$skiptoken` is not valid for this request, or it has expired",
  invalid_delta_token: () =>
    "the `$deltatoken` is not valid for this request: follow a delta link as you were given it",
  limit_exceeded: (d: Details) => `\`${d["name"]}\` must be at most ${d["limit"]}, got ${d["actual"]}`,
  query_too_complex: (d: Details) => `the query is too complex: ${d["measure"]} is at most ${d["limit"]}`,
} satisfies Record<string, (details: Details) => string>;

export type QueryErrorCode = keyof typeof queryErrors;

/** Meaning of an error for a client. */
export type QueryErrorKind = "invalid" | "not_implemented" | "too_large";

/** Kinds of the errors that are not `invalid`. */
const kinds: Partial<Record<QueryErrorCode, QueryErrorKind>> = {
  not_supported: "not_implemented",
  query_too_complex: "too_large",
};

/** A use of a parameter alias: its position in the decoded text of an option, or of another alias. */
export type AliasUse = { readonly span: Span; readonly option: string | null };

/** An error in the caller's query. Safe to show to the caller: it holds no data, no SQL and no table name. */
export class QueryError extends Error {
  override readonly name = "QueryError";
  readonly code: QueryErrorCode;
  readonly kind: QueryErrorKind;
  /** Position of the fault in the decoded text of the option; null if the whole request is at fault. */
  readonly span: Span | null;
  readonly details: Details;
  /** Name of the system query option at fault, with its dollar sign; null until it is known. */
  readonly option: string | null;
  /**
   * Position at which the parameter alias with the faulty value is used; null if the fault is not in an alias.
   */
  readonly use: AliasUse | null;

  constructor(
    code: QueryErrorCode,
    span: Span | null,
    details: Details = {},
    option: string | null = null,
    use: AliasUse | null = null,
  ) {
    super(queryErrors[code](details));
    this.code = code;
    this.kind = kinds[code] ?? "invalid";
    this.span = span && { start: span.start, end: span.end };
    this.details = details;
    this.option = option;
    this.use = use;
  }

  /**
   * Returns the same error, attributed to the query option `option`. If it is already attributed to a parameter
   * alias, `option` is recorded as the option that uses the alias.
   */
  in(option: string): QueryError {
    if (this.option === null) return this.#at(option, this.use);
    return this.use?.option === null ? this.#at(this.option, { ...this.use, option }) : this;
  }

  /** Returns the same error, located in the value of the parameter alias `name`, which is used at `span`. */
  inAlias(name: string, span: Span): QueryError {
    const error = this.in(name);
    return error.use === null
      ? error.#at(error.option, { span: { start: span.start, end: span.end }, option: null })
      : error;
  }

  #at(option: string | null, use: AliasUse | null): QueryError {
    return new QueryError(this.code, this.span, this.details, option, use);
  }
}
