/**
 * Syntax trees and bound trees: their nodes, functions that build and rewrite them, and the text of a tree. For
 * programs that restrict, explain or generate queries.
 *
 * @module
 */
export type { ComputedExpressions } from "../bound/context.ts";
export { callNode, pointNode, roundToNode } from "../bound/overload.ts";
export { mapChildren } from "../bound/rewrite.ts";
export * from "../bound/tree.ts";
export * from "../options/index.ts";
export * from "../syntax/index.ts";
