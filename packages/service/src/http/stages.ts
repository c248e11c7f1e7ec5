/**
 * The timed stages of a request, in order. Source: docs/architecture.md, "One request, one pipeline"; its `compile` happens in the
 * store, within `run`.
 */
type Stage = "parse" | "bind" | "restrict" | "run" | "render";

/** Timer of the stages of one request. */
export type Stages = {
  /** Runs and times one stage. The times of a stage that runs twice add up. */
  readonly time: <T>(stage: Stage, work: () => T) => T;
  /** Like {@link Stages.time}, for an asynchronous stage. */
  readonly timeAsync: <T>(stage: Stage, work: () => Promise<T>) => Promise<T>;
  /** Returns the value of the `Server-Timing` header, in milliseconds; empty if no stage was timed. */
  readonly header: () => string;
};

export function createStages(now: () => number = () => performance.now()): Stages {
  const spent = new Map<Stage, number>();
  const add = (stage: Stage, started: number) => spent.set(stage, (spent.get(stage) ?? 0) + now() - started);
  return {
    time(stage, work) {
      const started = now();
      try {
        return work();
      } finally {
        add(stage, started);
      }
    },
    async timeAsync(stage, work) {
      const started = now();
      try {
        return await work();
      } finally {
        add(stage, started);
      }
    },
    header: () => [...spent].map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`).join(", "),
  };
}
