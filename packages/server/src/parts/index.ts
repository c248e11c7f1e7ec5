/**
 * The parts of a server, for one whose callers see different things, or whose records are not in tables: from a parsed address to the
 * answer, with sources and sessions of its own.
 *
 * @module
 */

export {
  type Answer,
  type Body,
  byteLengthOf,
  copiedSlicesOf,
  noContent,
  ok,
  type Piece,
  slicesOf,
  tagged,
  underPreconditions,
} from "../answer/answer.ts";
export { answerRead } from "../answer/answer-read.ts";
export type {
  AnswerSession,
  AnswerSettings,
  AppliedRead,
  AppliedSource,
  ChangeSource,
  ChangesPage,
  ChangesRead,
  OwnOption,
  PageRead,
  QueryDefaults,
  RecordPage,
  RecordSource,
  RemovedFromResult,
} from "../answer/answer-session.ts";
export { errorAnswer } from "../answer/error-answer.ts";
export { answerBatch, type BatchContext, type ItemHost } from "../batch/answer-batch.ts";
export type { BatchItem, BatchReply, ParsedBatch } from "../batch/batch-item.ts";
export { batchParser, maxBatchLength } from "../batch/read-batch.ts";
export {
  httpStatuses,
  ProtocolError,
  type ProtocolErrorCode,
  type ProtocolErrorDetails,
  type ProtocolErrorKind,
  protocolErrors,
} from "../errors.ts";
export { readBodyText } from "../protocol/body-text.ts";
export { minimalJsonType } from "../protocol/format.ts";
export { type MediaType, parseMediaType, readAccept } from "../protocol/media-type.ts";
export type { AnswerStage, OdataRequest, StageTimer } from "../protocol/odata-request.ts";
export type { OptionName } from "../protocol/option-texts.ts";
export { maxPostedQuery, postedQueryOf, requireQueryType } from "../protocol/posted-query.ts";
export { continueOnErrorOf } from "../protocol/prefer.ts";
export { offeredOptions } from "../protocol/query-options.ts";
export {
  allowed,
  type Purpose,
  purposeOf,
  type ResourcePath,
  requireMethod,
  withoutQuery,
} from "../protocol/resource-address.ts";
export { maxUrlLength } from "../protocol/url-text.ts";
export { type HeaderReader, negotiatedVersion, type OdataVersion } from "../protocol/version.ts";
