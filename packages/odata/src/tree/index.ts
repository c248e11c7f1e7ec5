/**
 * Syntax trees and bound trees: their nodes, functions that build and rewrite them, the text of a tree, and
 * suggestions for misspelled names. For programs that restrict, explain or generate queries.
 *
 * @module
 */
export type { ComputedExpressions } from "../bound/context.ts";
export { callNode, pointNode, roundToNode } from "../bound/overload.ts";
export { mapChildren } from "../bound/rewrite.ts";
export * from "../bound/tree.ts";
export { nearest } from "../nearest.ts";
export * from "../options/index.ts";
export * from "../syntax/index.ts";
