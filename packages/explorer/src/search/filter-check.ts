import { bindFilter, type EntitySet, parseFilter, QueryError } from "@cadastre/odata";
import type { TextSpan } from "../api/service-error.ts";
import { explain } from "./explain.ts";

/** A fault of a filter, as the service would tell it. */
type FilterFault = { readonly message: string; readonly span: TextSpan | undefined };

/** Checks a filter as the service does: with its parser, its binder and its messages. Undefined: there is no fault. */
function checkFilter(text: string, entitySet: EntitySet): FilterFault | undefined {
  if (text.trim() === "") return undefined;
  try {
    bindFilter(parseFilter(text), entitySet);
    return undefined;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return { message: error.message, span: error.span ?? undefined };
  }
}

/** Says a term of a filter in words. The term itself, if it does not parse. */
function explainTerm(term: string, titleOfField: (name: string) => string): string {
  try {
    return explain(parseFilter(term), titleOfField);
  } catch (error) {
    if (error instanceof QueryError) return term;
    throw error;
  }
}

/** What the page asks the library. */
export const filterChecker = { checkFilter, explainTerm };
