/**
 * Parts of the compiler for stores that map properties themselves, or read one entity set from several tables.
 *
 * @module
 */
export { nearestPhases } from "../bound/nearest-first.ts";
export { expandRow } from "../evaluate/expand.ts";
export { type EncodingName, encodings } from "../sql/encoding.ts";
export { cachedMergedCompiler } from "./cache.ts";
export { type JsonRecordOptions, jsonRecords } from "./expand-rows.ts";
export type { ColumnDictionary, Join, MemberMapping, Path } from "./mapping.ts";
export { compileMergedCount, compileMergedPage } from "./partitions.ts";
export type { Box, BoxValues, PointIndex } from "./point-index.ts";
export { compileCondition, compileValue } from "./query.ts";
export type { ColumnPairs } from "./relation.ts";
export type { SearchIndex } from "./search-index.ts";
export type { TextIndex, TextSearch } from "./text-index.ts";
export { isSearchable, type TextCondition, textConditionOf } from "./text-prefilter.ts";
