import { bindFilter } from "../bound/bind.ts";
import type { BindOptions } from "../bound/context.ts";
import { QueryError, type QueryErrorCode } from "../errors.ts";
import type { EntitySet } from "../model/types.ts";
import { parseFilter } from "../syntax/parse.ts";
import { whenLoaded } from "./on-demand.ts";

/** A fault of a filter. */
export type FilterFault = {
  readonly code: QueryErrorCode;
  readonly message: string;
  /** Half-open range of UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  /** Text that the range may be replaced by. */
  readonly suggestion?: string;
};

/**
 * Returns the first fault of a filter, as a service that uses this library tells it. Undefined if there is none, or no text. In a page the first
 * check of a rare construct waits until the library for it is loaded.
 */
export const filterFault = (
  text: string,
  entitySet: EntitySet,
  options?: BindOptions,
): Promise<FilterFault | undefined> => whenLoaded(() => faultOf(text, entitySet, options));

function faultOf(text: string, entitySet: EntitySet, options?: BindOptions): FilterFault | undefined {
  if (text.trim() === "") return undefined;
  try {
    bindFilter(parseFilter(text, options?.limits), entitySet, options);
    return undefined;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    const { code, message, span, details } = error;
    const { start, end } = span ?? { start: 0, end: text.length };
    const suggestion = details["suggestion"];
    const fault = { code, message, from: start, to: Math.min(end, text.length) };
    return typeof suggestion === "string" ? { ...fault, suggestion } : fault;
  }
}
