import type { Answer } from "../http/answer.ts";
import { enveloped } from "./envelope.ts";
import { datasetsOf } from "./inventory.ts";
import { approvedIn } from "./recent-profiles.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

/** `GET /v1/mls-profiles`: the approved profiles of the entitlement's datasets. Source: interface specification, section 2.7. */
export async function mlsProfiles({ scope, stages }: V1Request, { profiles }: V1Services): Promise<Answer> {
  const known = await stages.timeAsync("run", profiles);
  const data = datasetsOf(scope.datasets).flatMap((dataset) => {
    const profile = approvedIn(known, dataset.dataset_id);
    if (profile === undefined) return [];
    const { fullName, disclaimer, logoUrl, rulesUrl, updateHours } = profile;
    const compliance = {
      disclaimer,
      logo_url: logoUrl,
      rules_url: rulesUrl,
      required_update_frequency_hours: updateHours,
    };
    return [{ ...dataset, originating_system_full_name: fullName, compliance }];
  });
  return stages.time("render", () => enveloped(data, scope, { count: data.length }));
}
