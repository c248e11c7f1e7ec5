import type { Scope } from "@cadastre/entitlement";
import type { EntitlementState } from "../http/request-context.ts";
import type { Stages } from "../http/stages.ts";

/** Request to a JSON endpoint, independent of Express. */
export type V1Request = {
  readonly scope: Scope;
  readonly entitlementState: EntitlementState;
  readonly stages: Stages;
  /** Decoded query parameters by name. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Value of the path parameter, still percent-encoded. Empty if the path has none. */
  readonly place: string;
  /** Returns a signal that aborts when the client disconnects. */
  readonly gone: () => AbortSignal;
};
