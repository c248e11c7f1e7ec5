import { openExports } from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import type { Answer } from "../http/answer.ts";
import { odataRoot } from "../http/odata-protocol.ts";
import { enveloped } from "./envelope.ts";
import { datasetsOf } from "./inventory.ts";
import { v1Paths } from "./operations.ts";
import { approvedIn } from "./recent-profiles.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** Paths of this service with more about a dataset. */
const links = {
  metadata: `${odataRoot}/$metadata`,
  service: odataRoot,
  mls_profile: v1Paths.mlsProfiles,
} as const;

/** `GET /v1/account/resources`. Source: interface specification, section 2.6. */
export async function accountResources(
  { scope, entitlementState, stages }: V1Request,
  { profiles, config }: V1Services,
): Promise<Answer> {
  const known = await stages.timeAsync("run", profiles);
  const datasets = datasetsOf(scope.datasets).map(({ resources, ...dataset }) => ({
    ...dataset,
    display_name: approvedIn(known, dataset.dataset_id)?.displayName ?? dataset.originating_system_name,
    resources,
    links,
  }));
  const { customer, version, products, regions, channels } = scope;
  const data = {
    customer_id: customer,
    entitlement_version: version,
    entitlement_state: entitlementState,
    products,
    regions: regions.map(({ kind, value }) => ({ kind, value })),
    datasets,
    channels,
    limits: limitsOf(scope, config),
  };
  return stages.time("render", () => enveloped(data, scope));
}

/** Returns the limits in force: the entitlement's, or else the service's. 0 requests a second: no limit. */
const limitsOf = (
  { limits }: Scope,
  { requestsPerSecond, concurrentQueries, scanSeconds }: V1Services["config"],
) => ({
  requests_per_second: limits.requests_per_second ?? requestsPerSecond,
  concurrent_queries: limits.concurrent_queries ?? concurrentQueries,
  scan_seconds: limits.scan_seconds ?? scanSeconds,
  query_weight: limits.query_weight ?? 1,
  open_exports: limits.open_exports ?? openExports,
});
