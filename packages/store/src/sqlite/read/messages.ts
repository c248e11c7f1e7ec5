import type { StoreErrorCode } from "../../errors.ts";
import type { ReadRequest, ReadResult } from "../../read/request.ts";
import type { SeenPlanRef } from "../../record/plan.ts";

export type ReaderWorkerData = {
  /** Path of the database file. */
  readonly file: string;
  /** One Int32: any value but 0 stops the current query. */
  readonly canceled: SharedArrayBuffer;
  /** See `SqliteStoreOptions`. */
  readonly pageCache: number;
  /** True for a thread of low priority. */
  readonly isLow: boolean;
  /** Size of the thread's `AnswerMemory`, in bytes. */
  readonly buffers: number;
};

export type ReaderTask = { readonly id: number; readonly request: ReadRequest<SeenPlanRef> };

/** Where the records of an answer began that are not used any more, see `AnswerMemory.giveBack`. */
export type ReturnedAnswer = { readonly returned: number };

/** Reply to a task. Exactly one of `result`, `refused` and `failed` is set. */
export type ReaderReply = {
  readonly id: number;
  readonly result?: ReadResult;
  readonly refused?: { readonly code: StoreErrorCode; readonly details: string | undefined };
  /** Stack or message of an unexpected error, for the log. */
  readonly failed?: string;
};
