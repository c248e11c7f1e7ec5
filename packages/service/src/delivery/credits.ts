import { createHash } from "node:crypto";
import type { Pinned } from "@cadastre/delivery";
import type { Scope } from "@cadastre/entitlement";
import { datasetsOf } from "../v1/inventory.ts";
import { approvedIn, type RecentProfiles } from "../v1/recent-profiles.ts";

/** Returns the datasets that a scope grants, and the disclaimers that must be displayed with them. */
export async function creditsOf(
  { datasets }: Scope,
  profiles: RecentProfiles,
): Promise<Pick<Pinned, "sources" | "attribution">> {
  const known = await profiles();
  const granted = datasetsOf(datasets);
  return {
    sources: granted.map(({ dataset_id, originating_system_name }) => ({
      datasetId: dataset_id,
      originatingSystemName: originating_system_name,
    })),
    attribution: granted.flatMap(({ dataset_id }) => {
      const profile = approvedIn(known, dataset_id);
      if (profile === undefined) return [];
      const disclaimerSha256 = createHash("sha256").update(profile.disclaimer).digest("hex");
      return [{ datasetId: dataset_id, disclaimerSha256 }];
    }),
  };
}
