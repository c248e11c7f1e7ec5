import { foldcase } from "../functions/fold-case.ts";
import type { Context } from "./context.ts";
import type { BoundNode } from "./tree.ts";

/** Functions whose string arguments are compared. */
const comparing: ReadonlySet<string> = new Set(["contains", "endswith", "startswith"]);

/**
 * Returns the `$ignorecase` mapping for the operands of one comparison: strings are case-folded if at least two
 * operands are strings. Constants are wrapped rather than changed, so that filters keep their shape; compiling
 * folds them.
 */
export const foldAmong = (
  operands: readonly BoundNode[],
  { ignoreCase }: Context,
): ((operand: BoundNode) => BoundNode) =>
  ignoreCase && operands.filter(isText).length > 1 ? foldText : (operand) => operand;

/** Applies {@link foldAmong} to the arguments of the function `name` if it compares them. */
export const foldArguments = (
  name: string,
  args: readonly BoundNode[],
  context: Context,
): readonly BoundNode[] => (comparing.has(name) ? args.map(foldAmong(args, context)) : args);

const isText = ({ type }: BoundNode): boolean => type === "Edm.String";

const foldText = (operand: BoundNode): BoundNode =>
  isText(operand) ? { kind: "Call", type: "Edm.String", entry: foldcase, args: [operand] } : operand;
