import type { Scope } from "@cadastre/entitlement";
import { createStages } from "../src/telemetry/stages.ts";

/** Returns a request of an endpoint by a caller with a scope, without its query. */
export const endpointRequest = (scope: Scope) => ({
  caller: { scope, apiKey: "" },
  entitlementState: "active" as const,
  params: {},
  body: undefined,
  header: () => undefined,
  stages: createStages(),
  clientGone: () => new AbortController().signal,
  whenClosed: () => {},
  note: () => {},
});
