import type { FunctionEntry } from "./define.ts";

/** Name under which an engine registers `evaluate` of an overload: `odata_length_string`. */
export const userFunctionName = ({ name, params }: FunctionEntry): string =>
  ["odata", name, ...params].join("_").replaceAll("Edm.", "").replaceAll(/\W+/g, "_").toLowerCase();
