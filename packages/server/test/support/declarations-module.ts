import { runInThisContext } from "node:vm";
import * as model from "../../src/model/index.ts";

/** Evaluates a printed module of declarations, and returns its entity sets. */
export function evaluateDeclarations(module: string): readonly model.EntitySetDeclaration[] {
  const imports = /^import (\{.*\}) from "@cadastre\/server\/model";$/m.exec(module)?.[1];
  const body = module
    .replace(/^import .*$/m, "")
    .replaceAll(/^export const entitySets = (.*) as const;$/gm, "return $1;")
    .replaceAll(/^export const /gm, "const ");
  // A module that is imported would have to be written to a file for each case.
  const evaluate = runInThisContext(`(model) => { "use strict"; const ${imports} = model; ${body} }`) as (
    exports: typeof model,
  ) => readonly model.EntitySetDeclaration[];
  return evaluate(model);
}
