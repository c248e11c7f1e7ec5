import { openExports } from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { string, whole } from "../endpoint/members.ts";
import { odataRoot } from "../http/odata-protocol.ts";
import { datasetIdentity, datasetsOf, resourcesMember } from "./inventory.ts";
import { mlsProfilesPath } from "./mls-profiles.ts";
import { approvedIn } from "./recent-profiles.ts";
import type { V1Services } from "./services.ts";

/** Paths of this service with more about a dataset. */
const links = {
  metadata: `${odataRoot}/$metadata`,
  service: odataRoot,
  mls_profile: mlsProfilesPath,
} as const;

/** Source: interface specification, section 2.6. */
export const accountResources = defineEndpoint({
  method: "get",
  path: "/v1/account/resources",
  tag: "JSON",
  summary:
    "What the entitlement grants: customer, version, state, products, regions, datasets, channels and limits. An expired entitlement grants nothing",
  channel: null,
  admitsExpired: true,
  answer: {
    data: z.object({
      customer_id: string,
      entitlement_version: whole,
      entitlement_state: z.enum(["active", "expired"]),
      products: z.array(string),
      regions: z.array(z.object({ kind: string, value: string })),
      datasets: z.array(
        z.object({
          ...datasetIdentity,
          display_name: string,
          resources: resourcesMember,
          links: z.object({ metadata: string, service: string, mls_profile: string }),
        }),
      ),
      channels: z.object({ api: z.boolean(), odata: z.boolean(), file_delivery: z.boolean() }),
      limits: z.object({
        requests_per_second: whole,
        concurrent_queries: whole,
        scan_seconds: whole,
        query_weight: whole,
        open_exports: whole,
      }),
    }),
  },
  errors: [],
  handle: async (
    { caller: { scope }, entitlementState, stages, reply },
    { profiles, config, catalog }: V1Services,
  ) => {
    const known = await stages.timeAsync("run", profiles);
    const datasets = datasetsOf(catalog, scope.datasets).map(({ resources, ...dataset }) => ({
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
    return stages.time("render", () => reply(data));
  },
});

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
