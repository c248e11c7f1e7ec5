/**
 * `$apply`: grouping and aggregation (OData Extension for Data Aggregation 4.0). Parse → bind → compile or evaluate, as for other options:
 * `bindApply` binds the transformations, `bindApplied` the options that are applied to their result.
 *
 * @module
 */

export { parseApply } from "../syntax/parse.ts";
export { appliedMapping } from "./applied-mapping.ts";
export {
  type AppliedForm,
  appliedRecords,
  compileAppliedPage,
  evaluatedRecords,
  selectedOf,
  valueRecords,
} from "./applied-records.ts";
export type { ApplyBindOptions } from "./apply-scope.ts";
export { bindApplied } from "./bind-applied.ts";
export { bindApply } from "./bind-apply.ts";
export type {
  AggregationMethod,
  AppliedField,
  AppliedQuery,
  ApplyColumn,
  ApplyOutput,
  ApplyStep,
  BoundAggregate,
  BoundApply,
  CellRule,
} from "./bound-apply.ts";
export { evaluateApply } from "./evaluate-apply.ts";
export { type AggregateHost, registerAggregates } from "./register-aggregates.ts";
export { type ApplyRestriction, expressionsOf, restrictApplied } from "./rewrite-apply.ts";
