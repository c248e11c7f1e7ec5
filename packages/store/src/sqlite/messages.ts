import type { StoreErrorCode } from "../errors.ts";
import type { ReadRequest, ReadResult } from "../read/request.ts";
import type { SeenPlanRef } from "../record/plan.ts";

export type ReaderWorkerData = {
  /** Path of the database file. */
  readonly file: string;
  /** One Int32: anything but 0 ends the query at hand. */
  readonly canceled: SharedArrayBuffer;
};

export type ReaderTask = { readonly id: number; readonly request: ReadRequest<SeenPlanRef> };

/** Where the records of an answer are, and what there is to know of the slab before it is read the first time. */
export type SlabUse = {
  readonly id: number;
  /** Where they begin and end in the slab's content. */
  readonly start: number;
  readonly end: number;
  readonly memory?: SharedArrayBuffer | undefined;
  /** The slab that is no more. */
  readonly replaced?: number | undefined;
};

/** One of the three. */
export type ReaderReply = {
  readonly id: number;
  readonly result?: ReadResult;
  /** The records, where they are not in the result itself. */
  readonly slab?: SlabUse | undefined;
  readonly refused?: StoreErrorCode;
  /** What went wrong, for the log. */
  readonly failed?: string;
};
