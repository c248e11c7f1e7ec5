import { FeedError } from "./feed-error.ts";

/** Error of a run that was stopped. */
export const runStopped = (): FeedError => new FeedError("the run was stopped");

// A function, because the compiler assumes that a property does not change between two reads.
export const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
