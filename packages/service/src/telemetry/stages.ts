import { DeliveryError } from "@cadastre/delivery";
import { QueryError } from "@cadastre/odata";
import { StoreError } from "@cadastre/store";
import { toRefusal } from "../errors.ts";
import type { SpanFacts, TraceSpan } from "./trace-span.ts";

/**
 * The timed stages of a request, in order. Source: docs/architecture.md, "One request, one pipeline". `item` is one request of a batch;
 * `reserve` waits for memory; `compile`, `wait` (for a reader) and `query` are parts of `run`, and happen in the store; `send` ends when the
 * connection has taken the answer.
 */
export type Stage =
  | "authenticate"
  | "item"
  | "parse"
  | "bind"
  | "restrict"
  | "reserve"
  | "run"
  | "compile"
  | "wait"
  | "query"
  | "render"
  | "send";

/** Stages that `Server-Timing` leaves out: they would tell a customer how busy others keep the service, and time the query alone. */
const onlyInTraces: ReadonlySet<string> = new Set<Stage>(["reserve", "compile", "wait", "query"]);

/** Timer of the stages of one request or job, for `Server-Timing` and traces. A stage that fails ends with the code of its error. */
export type Stages<Name extends string = Stage> = {
  /** Runs and times one stage. The times of a stage that runs twice add up. @param work gets the timer of the stages within */
  readonly time: <T>(stage: Name, work: (within: Stages<Name>) => T, facts?: SpanFacts) => T;
  /** Like {@link Stages.time}, for an asynchronous stage. */
  readonly timeAsync: <T>(
    stage: Name,
    work: (within: Stages<Name>) => Promise<T>,
    facts?: SpanFacts,
  ) => Promise<T>;
  /** Starts a stage that lasts until the returned function is called. */
  readonly begin: (stage: Name) => () => void;
  /** The span that the stages belong to; undefined if no trace is recorded. */
  readonly span: TraceSpan | undefined;
  /** Returns the value of the `Server-Timing` header, in milliseconds; empty if no stage was timed. */
  readonly header: () => string;
};

/** Stages that are not timed, for a request that neither `Server-Timing` nor a trace tells of. */
export const untimedStages: Stages = {
  time: (_stage, work) => work(untimedStages),
  timeAsync: (_stage, work) => work(untimedStages),
  begin: () => () => {},
  span: undefined,
  header: () => "",
};

/** @param span span that the stages are children of */
export function createStages<Name extends string = Stage>(
  span?: TraceSpan,
  now: () => number = () => performance.now(),
): Stages<Name> {
  const spent = new Map<Name, number>();
  const header = () =>
    [...spent]
      .filter(([stage]) => !onlyInTraces.has(stage))
      .map(([stage, ms]) => `${stage};dur=${ms.toFixed(2)}`)
      .join(", ");
  const under = (parent: TraceSpan | undefined): Stages<Name> => {
    const begin = (stage: Name, facts?: SpanFacts) => {
      // Stages are listed in the order in which they began.
      if (!spent.has(stage)) spent.set(stage, 0);
      const started = now();
      const child = parent?.start(stage, started, facts);
      return {
        within: child === undefined ? stages : under(child),
        fail: (error: unknown) => {
          const code = errorCodeOf(error);
          child?.note({ error: code });
          child?.fail(code);
        },
        end: () => {
          const ended = now();
          spent.set(stage, (spent.get(stage) ?? 0) + ended - started);
          child?.end(ended);
        },
      };
    };
    const stages: Stages<Name> = {
      time(stage, work, facts) {
        const { within, fail, end } = begin(stage, facts);
        try {
          return work(within);
        } catch (error) {
          fail(error);
          throw error;
        } finally {
          end();
        }
      },
      async timeAsync(stage, work, facts) {
        const { within, fail, end } = begin(stage, facts);
        try {
          return await work(within);
        } catch (error) {
          fail(error);
          throw error;
        } finally {
          end();
        }
      },
      begin: (stage) => begin(stage).end,
      span: parent,
      header,
    };
    return stages;
  };
  return under(span);
}

/** Returns the code of an error. Its message may quote a value. */
function errorCodeOf(error: unknown): string {
  if (error instanceof QueryError || error instanceof StoreError || error instanceof DeliveryError)
    return error.code;
  return error instanceof Error && error.name === "AbortError" ? "canceled" : toRefusal(error).code;
}
