import type { StoreErrorCode } from "../../errors.ts";
import type { ReadRequest, ReadResult } from "../../read/request.ts";
import type { SeenPlanRef } from "../../record/plan.ts";

export type ReaderWorkerData = {
  /** Path of the database file. */
  readonly file: string;
  /** One Int32: any value but 0 stops the current query. */
  readonly canceled: SharedArrayBuffer;
  /** See `SqliteStoreOptions`. */
  readonly mapped: number;
  /** True for a thread of low priority. */
  readonly isLow: boolean;
  /** Maximum total size of the idle page buffers that the thread keeps, in bytes. */
  readonly buffers: number;
};

export type ReaderTask = { readonly id: number; readonly request: ReadRequest<SeenPlanRef> };

/** The buffer of an answer, returned for reuse. */
export type ReturnedMemory = { readonly memory: ArrayBuffer };

/** Reply to a task. Exactly one of `result`, `refused` and `failed` is set. */
export type ReaderReply = {
  readonly id: number;
  readonly result?: ReadResult;
  readonly refused?: { readonly code: StoreErrorCode; readonly details: string | undefined };
  /** Stack or message of an unexpected error, for the log. */
  readonly failed?: string;
};
