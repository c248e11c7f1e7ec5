/**
 * Parses OData queries and runs them. Two pipelines share the first two steps: parse → bind → compile turns the
 * text into SQL, parse → bind → evaluate computes the answer from rows in memory.
 *
 * Programs that work on trees find their nodes and builders in `./tree`, mappings over several tables in
 * `./compile`, what worker threads need in `./run`, and the table of functions in `./functions`. Skip tokens are in
 * `./paging`, because they need `node:crypto`; this entry needs nothing of Node.
 *
 * @module
 */

// Parse

export {
  parseQueryOptions,
  parseResourcePath,
  type QueryOptions,
  readAliases,
  readOption,
  type SystemOptionName,
} from "./options/index.ts";
export { defaultLimits, type Limits } from "./syntax/limits.ts";
export {
  parseCompute,
  parseExpand,
  parseFilter,
  parseOrderBy,
  parseSearch,
  parseSelect,
} from "./syntax/parse.ts";

// Model

export type {
  EntityModel,
  EntitySet,
  EntityType,
  PrimitiveType,
  StructuralProperty,
  StructuredType,
} from "./model/types.ts";

// Bind

export { bindExpression, bindFilter, bindOrderBy } from "./bound/bind.ts";
export { bindCompute } from "./bound/compute.ts";
export type { BindOptions } from "./bound/context.ts";
export { type BoundExpand, bindExpand } from "./bound/expand.ts";
export { bindQuery, type QueryParts } from "./bound/query.ts";
export { bindSelect } from "./bound/select.ts";
export type { BoundNode, BoundQuery, Projection } from "./bound/tree.ts";

// Compile: to SQL of a dialect, by a mapping to tables

export { type Compiler, type CompilerOptions, cachedCompiler } from "./compile/cache.ts";
export { compileExpand, compileExpandCount, type ExpandFrom } from "./compile/expand.ts";
export { type Column, type Mapping, tableMapping } from "./compile/mapping.ts";
export { degreesIndex, pointIndex, postgisIndex, rtreeIndex } from "./compile/point-index.ts";
export { compileCount, compilePage, type PageOptions } from "./compile/query.ts";
export { complexValue, itemTable, jsonColumn, relation } from "./compile/relation.ts";
export { fts5Index, wordsIndex } from "./compile/search-index.ts";
export {
  fts5GramIndex,
  type GramDivision,
  type TrigramDivision,
  trigramIndex,
  trigramText,
} from "./compile/text-index.ts";
export { type CompiledSql, identifier, type SqlFragment, sql } from "./sql/fragment.ts";
export { postgres } from "./sql/postgres.ts";
export { sqlite } from "./sql/sqlite.ts";

// Evaluate: over rows in memory

export { type ExpandSource, expandRows } from "./compile/expand-rows.ts";
export { compareRows, evaluate, matches, type Row } from "./evaluate/evaluate.ts";
export { nestComplexValues } from "./evaluate/nest.ts";

// Errors

export { type ErrorObject, errorObject } from "./error-object.ts";
export {
  type AliasUse,
  QueryError,
  type QueryErrorCode,
  type QueryErrorKind,
  queryErrors,
} from "./errors.ts";
export { nearest } from "./nearest.ts";
