/** A query as its stage describes it. It holds no value of the query or of a record. */
export type QueryFacts = {
  /** Name of the database system in OpenTelemetry's semantic conventions. */
  readonly system: "sqlite" | "postgresql";
  /** Its `CostClass`; undefined for a read by key that needs no reader. */
  readonly cost?: string;
  /** The standby that is read from; undefined for the primary. */
  readonly replica?: string;
};

/** Times the stages of a read, such as for a trace: it is compiled, waits for a reader, and is run. */
export type ReadStages = {
  readonly time: <T>(stage: "compile" | "query", work: () => T, facts?: QueryFacts) => T;
  readonly timeAsync: <T>(stage: "wait" | "query", work: () => Promise<T>, facts?: QueryFacts) => Promise<T>;
};

/** Does not time anything. */
export const untimed: ReadStages = {
  time: (_stage, work) => work(),
  timeAsync: (_stage, work) => work(),
};
