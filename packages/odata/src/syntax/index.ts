export { children } from "./children.ts";
export type * from "./items.ts";
export { defaultLimits, type Limits } from "./limits.ts";
export {
  parseApply,
  parseCompute,
  parseExpand,
  parseExpression,
  parseFilter,
  parseOrderBy,
  parseSearch,
  parseSelect,
} from "./parse.ts";
export { type PrimitiveForm, primitiveFault, primitiveForms } from "./primitive.ts";
export { printExpression, printExpression as printFilter } from "./print/expression.ts";
export { printApply, printCompute, printExpand, printOrderBy, printSelect } from "./print/items.ts";
export { textLiteral } from "./print/literal.ts";
export { printSearch } from "./print/search.ts";
export type * from "./tree.ts";
