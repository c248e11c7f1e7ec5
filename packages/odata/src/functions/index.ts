/**
 * The table of functions, and the text functions that fill columns which a query searches.
 *
 * @module
 */
export { caseMappingTables, foldCase } from "./case-mapping.ts";
export type { FunctionEntry } from "./define.ts";
export { gramsOf } from "./grams.ts";
export { functionTable } from "./table.ts";
export { wordsOf } from "./words.ts";
