import { isRecord } from "./json.ts";

/** A half-open range of UTF-16 code units in the text of an option. */
export type TextSpan = { readonly start: number; readonly end: number };

/** A request that the service refused, or that did not reach it. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  /** Query option or parameter at fault. */
  readonly target: string | undefined;
  /** Place of the fault in the text of `target`. */
  readonly span: TextSpan | undefined;

  constructor(status: number, code: string, message: string, target?: string, span?: TextSpan) {
    super(message);
    this.status = status;
    this.code = code;
    this.target = target;
    this.span = span;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

function spanOf(details: unknown): TextSpan | undefined {
  if (!Array.isArray(details)) return undefined;
  const position = details.filter(isRecord).find(({ code }) => code === "position");
  const found = /^position (\d+) to (\d+)$/.exec(textOf(position?.["message"]) ?? "");
  return found === null ? undefined : { start: Number(found[1]), end: Number(found[2]) };
}

/** Reads the body of a refusal: of OData `{error: {code, message, target, details}}`, below `/v1` `{error, message, target}`. */
export function serviceErrorOf(status: number, body: unknown): ServiceError {
  const outer = isRecord(body) ? body : {};
  const inner = isRecord(outer["error"]) ? outer["error"] : undefined;
  const code = textOf(inner?.["code"]) ?? textOf(outer["error"]) ?? `http_${status}`;
  const message =
    textOf(inner?.["message"]) ?? textOf(outer["message"]) ?? `the service answered with status ${status}`;
  const target = textOf(inner?.["target"]) ?? textOf(outer["target"]);
  return new ServiceError(status, code, message, target, spanOf(inner?.["details"]));
}
