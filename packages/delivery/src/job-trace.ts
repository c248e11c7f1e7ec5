/** A job of a worker, with the ids of what it works on. */
export type Job = {
  readonly name: "build" | "publish" | "rebuild" | "webhook";
  readonly delivery?: string;
  readonly webhook?: string;
  readonly message?: string;
};

/**
 * A stage of a job: permissions are checked; a part is written, stored and entered into the ledger; the manifest is sealed; objects are
 * published; a message is posted; the outcome is noted.
 */
export type JobStage =
  | "authorize"
  | "write"
  | "store"
  | "record"
  | "seal"
  | "publish"
  | "rebuild"
  | "post"
  | "note";

/** Times the stages of a job. */
export type JobTrace = {
  /** @param work gets the W3C `traceparent` for requests of the stage; undefined if no trace is recorded */
  readonly timeAsync: <T>(
    stage: JobStage,
    work: (traceparent: string | undefined) => Promise<T>,
  ) => Promise<T>;
  /** @param report how the job ended, and its error code if it failed */
  readonly end: (report: { readonly outcome: string; readonly code?: string | null | undefined }) => void;
};

export type StartJobTrace = (job: Job) => JobTrace;

/** Does not time anything. */
export const untraced: StartJobTrace = () => ({
  timeAsync: (_stage, work) => work(undefined),
  end: () => {},
});
