/**
 * Changes between two checkpoints, restricted to a scope: for deltas, and for a record of what happened to a customer's view.
 *
 * @module
 */
export { compareCodePoints } from "../code-points.ts";
export {
  type ChangesRequest,
  changesBetween,
  isKeyBeyond,
  isKeyUpTo,
  recordsAt,
  textKeyOf,
} from "./changes-between.ts";
export { type CommitTimes, commitOf, isCommitThere } from "./commits.ts";
export { type KeyChange, type KeyedLine, mergeStates } from "./merge.ts";
