import type { StoreErrorCode } from "../errors.ts";
import type { ReadRequest, ReadResult } from "../read/request.ts";
import type { SeenPlanRef } from "../record/plan.ts";

export type ReaderWorkerData = {
  /** Path of the database file. */
  readonly file: string;
  /** One Int32: anything but 0 ends the query at hand. */
  readonly canceled: SharedArrayBuffer;
  /** See `SqliteStoreOptions`. */
  readonly mapped: number;
  /** True for a thread of low priority. */
  readonly isLow: boolean;
  /** Bytes of idle page buffers that the thread keeps, at most. */
  readonly buffers: number;
};

export type ReaderTask = { readonly id: number; readonly request: ReadRequest<SeenPlanRef> };

/** Memory of an answer that has been used. */
export type ReturnedMemory = { readonly memory: ArrayBuffer };

/** One of the three. */
export type ReaderReply = {
  readonly id: number;
  readonly result?: ReadResult;
  readonly refused?: { readonly code: StoreErrorCode; readonly detail: string | undefined };
  /** What went wrong, for the log. */
  readonly failed?: string;
};
