import { foldcase } from "../functions/fold-case.ts";
import type { Context } from "./context.ts";
import type { BoundNode } from "./tree.ts";

/** Functions that compare their arguments, where these are texts. */
const comparing: ReadonlySet<string> = new Set(["contains", "endswith", "startswith"]);

/**
 * What `$ignorecase` does to each operand of one comparison: texts are folded, where there are two or more. Constants
 * keep their value, so that filters of one shape keep one shape; compiling folds them.
 */
export const foldAmong = (
  operands: readonly BoundNode[],
  { ignoreCase }: Context,
): ((operand: BoundNode) => BoundNode) =>
  ignoreCase && operands.filter(isText).length > 1 ? foldText : (operand) => operand;

/** The arguments of the function `name`, likewise. */
export const foldArguments = (
  name: string,
  args: readonly BoundNode[],
  context: Context,
): readonly BoundNode[] => (comparing.has(name) ? args.map(foldAmong(args, context)) : args);

const isText = ({ type }: BoundNode): boolean => type === "Edm.String";

const foldText = (operand: BoundNode): BoundNode =>
  isText(operand) ? { kind: "Call", type: "Edm.String", entry: foldcase, args: [operand] } : operand;
