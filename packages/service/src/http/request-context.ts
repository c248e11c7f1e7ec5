import type { IncomingMessage } from "node:http";
import type { Scope } from "@cadastre/entitlement";
import { Refused } from "../errors.ts";
import type { Stages } from "../telemetry/stages.ts";
import type { RequestTrace } from "../telemetry/tracing.ts";

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
  /** Undefined if it belongs to none. */
  readonly trace?: RequestTrace | undefined;
  /** Path template, once the path has been parsed. */
  route?: string;
  /** Undefined until the API key has been verified. */
  caller?: Caller;
  /** Ends the stage `send`, once the answer has begun. */
  endSending?: () => void;
  /** Code of the error that it is answered with. */
  errorCode?: string;
  /** Decoded text of the query options, once they are parsed, so that an error can quote the faulty place. */
  optionTexts?: ReadonlyMap<string, string>;
};

/**
 * Key of the context in its request. Not a WeakMap: the garbage collector copies the values of one, with all that they refer to, after their keys
 * have died.
 */
const contextKey = Symbol("context");

type WithContext = IncomingMessage & { [contextKey]?: RequestContext };

export function setContext(request: WithContext, context: RequestContext): void {
  request[contextKey] = context;
}

export const findContext = (request: WithContext): RequestContext | undefined => request[contextKey];

/** @throws {Refused} `unauthorized` if no key was verified: a route without the authentication step serves nothing. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = findContext(request)?.caller;
  if (caller === undefined) throw new Refused("unauthorized");
  return caller;
}
