import type { IncomingMessage } from "node:http";
import type { Scope } from "@cadastre/entitlement";
import { Refused } from "../errors.ts";

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

/** State of a verified entitlement. */
export type EntitlementState = "active" | "expired";

/** The authenticated caller: known once the API key has been verified. */
export type Caller = {
  readonly keyId: string;
  readonly scope: Scope;
  readonly entitlementState: EntitlementState;
};

/** The service's own data about a request. */
export type RequestContext = {
  readonly requestId: string;
  /** IP address of the client as reported by trusted proxies, else the address of the connection. */
  readonly address: string;
  readonly stages: Stages;
  /** Path template, once the path has been parsed. */
  route?: string;
  /** Undefined until the API key has been verified. */
  caller?: Caller;
  /** Decoded text of the query options, once they are parsed, so that an error can quote the faulty place. */
  optionTexts?: ReadonlyMap<string, string>;
};

const contexts = new WeakMap<IncomingMessage, RequestContext>();

export function setContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

export const findContext = (request: IncomingMessage): RequestContext | undefined => contexts.get(request);

/** @throws {Refused} `unauthorized` if no key was verified: a route without the authentication step serves nothing. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = contexts.get(request)?.caller;
  if (caller === undefined) throw new Refused("unauthorized");
  return caller;
}
