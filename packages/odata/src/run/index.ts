/**
 * Runs compiled queries and evaluates bound expressions, without the parser, binder and compiler: for worker
 * threads and programs that receive finished queries.
 *
 * @module
 */
export { compareRows, evaluate, matches, type Row } from "../evaluate/evaluate.ts";
export { referenceOf } from "../evaluate/expand.ts";
export { contentTag } from "../json/content-tag.ts";
export { endOfString, endOfValue } from "../json/json-bytes.ts";
export {
  entityAddress,
  keyLiteral,
  navigationNames,
  type RecordForm,
  typeAnnotation,
  typesOf,
  writeValue,
} from "../json/record-form.ts";
export { type AllocateBuffer, RecordWriter, writeRecords } from "../json/record-writer.ts";
export { columnText, propertyText, StoredValueError, valueText } from "../json/value-text.ts";
export { compareValues } from "../model/compare.ts";
export type * from "../model/types.ts";
export { codecOf } from "../model/values.ts";
export type { Dialect, DialectName, SqlValue } from "../sql/dialect.ts";
export { type CompiledSql, identifier, join, render, type SqlFragment, sql, value } from "../sql/fragment.ts";
export { postgres } from "../sql/postgres.ts";
export { sqlite } from "../sql/sqlite.ts";
