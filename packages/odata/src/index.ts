/**
 * Parses OData queries and runs them. Two pipelines share the first two steps: parse → bind → compile turns the
 * text into SQL, parse → bind → evaluate computes the answer from rows in memory.
 *
 * @module
 */
export { bindExpression, bindFilter, bindOrderBy } from "./bound/bind.ts";
export { bindCompute } from "./bound/compute.ts";
export type { BindOptions, ComputedExpressions } from "./bound/context.ts";
export { type BoundExpand, bindExpand } from "./bound/expand.ts";
export { nearestPhases } from "./bound/nearest-first.ts";
export { callNode, pointNode, roundToNode } from "./bound/overload.ts";
export { bindQuery, bindSelect, type QueryParts } from "./bound/query.ts";
export { mapChildren } from "./bound/rewrite.ts";
export * from "./bound/tree.ts";
export { type Compiler, type CompilerOptions, cachedCompiler } from "./compile/cache.ts";
export { compileExpand, compileExpandCount, type ExpandFrom } from "./compile/expand.ts";
export { type ExpandSource, expandRows } from "./compile/expand-rows.ts";
export {
  type Column,
  type ColumnDictionary,
  type Join,
  type Mapping,
  type MemberMapping,
  type Path,
  tableMapping,
} from "./compile/mapping.ts";
export { compileMergedCount, compileMergedPage } from "./compile/partitions.ts";
export {
  type Box,
  degreesIndex,
  type PointIndex,
  pointIndex,
  postgisIndex,
  rtreeIndex,
} from "./compile/point-index.ts";
export { compileCount, compilePage, compileValue, type PageOptions } from "./compile/query.ts";
export {
  type ColumnPairs,
  complexValue,
  itemTable,
  jsonColumn,
  relation,
} from "./compile/relation.ts";
export { fts5Index, type SearchIndex, wordsIndex } from "./compile/search-index.ts";
export { type ErrorObject, errorObject } from "./error-object.ts";
export {
  type AliasUse,
  QueryError,
  type QueryErrorCode,
  type QueryErrorKind,
  queryErrors,
} from "./errors.ts";
export { compareRows, evaluate, matches, type Row } from "./evaluate/evaluate.ts";
export { expandRow } from "./evaluate/expand.ts";
export { caseMappingTables, foldCase } from "./functions/case-mapping.ts";
export type { FunctionEntry } from "./functions/define.ts";
export { functionTable } from "./functions/index.ts";
export { wordsOf } from "./functions/words.ts";
export { contentTag } from "./json/content-tag.ts";
export { keyLiteral, type RecordForm, typeAnnotation, typesOf, writeValue } from "./json/record-form.ts";
export { RecordWriter, writeRecords } from "./json/record-writer.ts";
export type * from "./model/types.ts";
export { codecOf } from "./model/values.ts";
export * from "./options/index.ts";
export { nextLink } from "./paging/next-link.ts";
export { openSkipToken, type SkipToken, type SkipTokenKey, sealSkipToken } from "./paging/skip-token.ts";
export type { Dialect, DialectName, SqlValue } from "./sql/dialect.ts";
export { type EncodingName, encodings } from "./sql/encoding.ts";
export { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "./sql/fragment.ts";
export { postgres } from "./sql/postgres.ts";
export { sqlite } from "./sql/sqlite.ts";
export * from "./syntax/index.ts";
