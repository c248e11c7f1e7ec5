import type { Scope } from "@cadastre/entitlement";
import type { EntitlementState } from "../access/scopes.ts";
import type { Stages } from "../http/stages.ts";

/** A read of a JSON endpoint, free of HTTP. */
export type V1Request = {
  readonly scope: Scope;
  readonly entitlementState: EntitlementState;
  readonly stages: Stages;
  /** The parameters of the query, decoded, by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The part of the path that the template leaves open, percent-encoded; empty where there is none. */
  readonly place: string;
  /** Gives a signal that aborts when the client is gone. */
  readonly gone: () => AbortSignal;
};
