import { parseFilter } from "@cadastre/odata";
import { explain } from "./explain.ts";

/** Says a term of a filter in words. The term itself, if it does not parse. */
export function termInWords(term: string, titleOfField: (name: string) => string): string {
  try {
    return explain(parseFilter(term), titleOfField);
  } catch {
    // It has a fault, which the search tells, or needs a library that is not loaded.
    return term;
  }
}
