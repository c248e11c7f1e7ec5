import { z } from "zod";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { string, uri, whole } from "../endpoint/members.ts";
import { datasetIdentity, datasetsOf, resourcesMember } from "./inventory.ts";
import { approvedIn } from "./recent-profiles.ts";
import type { V1Services } from "./services.ts";

export const mlsProfilesPath = "/v1/mls-profiles";

/** The approved profiles of the entitlement's datasets. Source: interface specification, section 2.7. */
export const mlsProfiles = defineEndpoint({
  method: "get",
  path: mlsProfilesPath,
  tag: "JSON",
  summary:
    "How to present the listings of each approved dataset: full name, disclaimer, logo, rules, hours between updates",
  channel: "api",
  answer: {
    data: z.array(
      z.object({
        ...datasetIdentity,
        resources: resourcesMember,
        originating_system_full_name: string,
        compliance: z.object({
          disclaimer: string,
          logo_url: uri,
          rules_url: uri,
          required_update_frequency_hours: whole,
        }),
      }),
    ),
    meta: { count: whole },
  },
  errors: [],
  handle: async ({ caller: { scope }, stages, reply }, { profiles, catalog }: V1Services) => {
    const known = await stages.timeAsync("run", profiles);
    const data = datasetsOf(catalog, scope.datasets).flatMap((dataset) => {
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
    return stages.time("render", () => reply(data, { meta: { count: data.length } }));
  },
});
