import type { Answer } from "../http/answer.ts";
import { odataRoot } from "../odata/protocol.ts";
import { enveloped } from "./envelope.ts";
import { datasetsOf } from "./inventory.ts";
import { v1Paths } from "./operations.ts";
import { approvedIn } from "./recent-profiles.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** Where more is told of a dataset, as paths of this service. */
const links = {
  metadata: `${odataRoot}/$metadata`,
  service: odataRoot,
  mls_profile: v1Paths.mlsProfiles,
} as const;

/** `GET /v1/account/resources`. Source: interface specification, section 2.6. */
export async function accountResources(
  { scope, entitlementState, stages }: V1Request,
  { profiles }: V1Services,
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
  };
  return stages.time("render", () => enveloped(data, scope));
}
