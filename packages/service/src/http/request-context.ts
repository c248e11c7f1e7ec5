import type { IncomingMessage } from "node:http";
import type { Scope } from "@cadastre/entitlement";
import type { EntitlementState } from "../access/scopes.ts";
import { Refused } from "../errors.ts";
import type { Stages } from "./stages.ts";

/** Who asks: known once the API key has been verified. */
export type Caller = {
  readonly keyId: string;
  readonly scope: Scope;
  readonly entitlementState: EntitlementState;
};

/** What the service knows of a request beside what the client sent. */
export type RequestContext = {
  readonly requestId: string;
  /** IP address of the client, see `clientAddress`. */
  readonly address: string;
  readonly stages: Stages;
  /** Template of the address, once it has been read. */
  route?: string;
  /** Undefined until the API key has been verified. */
  caller?: Caller;
  /** Decoded text of the query options, once they are known, so that an error can show its place. */
  optionTexts?: ReadonlyMap<string, string>;
};

const contexts = new WeakMap<IncomingMessage, RequestContext>();

export function setContext(request: IncomingMessage, context: RequestContext): void {
  contexts.set(request, context);
}

export const findContext = (request: IncomingMessage): RequestContext | undefined => contexts.get(request);

/** @throws {Refused} for a request that no key let in: a route that forgot the edge serves nothing. */
export function callerOf(request: IncomingMessage): Caller {
  const caller = contexts.get(request)?.caller;
  if (caller === undefined) throw new Refused("unauthorized");
  return caller;
}
