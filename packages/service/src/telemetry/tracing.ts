import type { Job, JobTrace } from "@cadastre/delivery";
import type { TraceSpan } from "./trace-span.ts";

/** The trace that a request belongs to. */
export type RequestTrace = {
  readonly traceId: string;
  /** Undefined if the trace is not recorded. */
  readonly span: TraceSpan | undefined;
};

/** Records traces of requests and jobs, and sends them to a collector. */
export type Tracing = {
  /**
   * @param traceparent header of the request
   * @param at when it arrived, by the clock of `performance.now()`
   * @returns undefined if it belongs to no trace: none is recorded, and the client has named none
   */
  readonly request: (traceparent: string | undefined, at: number) => RequestTrace | undefined;
  /** Starts the trace of a job of a worker. */
  readonly job: (job: Job) => JobTrace;
  /** Sends what is recorded, unless the collector does not answer, and stops. */
  readonly stop: () => Promise<void>;
};
