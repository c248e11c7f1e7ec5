import { sql } from "../sql/fragment.ts";
import { foldCase } from "./case-mapping.ts";
import { defineFunction, type FunctionEntry } from "./define.ts";

/** Case-folded text, which `$ignorecase` compares in place of the text. */
export const foldcase: FunctionEntry = defineFunction({
  name: "foldcase",
  changesCase: true,
  source: "Unicode 17.0, section 3.13.3, with one code point for each",
  params: ["Edm.String"],
  returns: "Edm.String",
  postgres: ([text]) => sql`cadastre_foldcase(${text})`,
  evaluate: ([text]) => foldCase(text),
  examples: [],
});
