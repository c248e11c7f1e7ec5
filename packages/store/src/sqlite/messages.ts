import type { StoreErrorCode } from "../errors.ts";
import type { ReadRequest, ReadResult } from "../read/request.ts";

export type ReaderWorkerData = {
  /** Path of the database file. */
  readonly file: string;
  /** One Int32: anything but 0 ends the query at hand. */
  readonly canceled: SharedArrayBuffer;
};

export type ReaderTask = { readonly id: number; readonly request: ReadRequest };

/** One of the three. */
export type ReaderReply = {
  readonly id: number;
  readonly result?: ReadResult;
  readonly refused?: StoreErrorCode;
  /** What went wrong, for the log. */
  readonly failed?: string;
};
