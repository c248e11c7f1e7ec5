import { type SampleSystemId, sampleSystems } from "@cadastre/sample/catalog";
import type { MlsProfile, ProfileRegistry } from "@cadastre/store/registry";

/** Full names and update intervals of the approved datasets. One dataset is left out, to show clients a dataset without a profile. */
const approved: Partial<Readonly<Record<SampleSystemId, readonly [fullName: string, hours: number]>>> = {
  lonestar: ["Lone Star Multiple Listing Service", 12],
  hillcountry: ["Hill Country Listing Exchange", 24],
  evergreen: ["Evergreen Multiple Listing Service", 12],
  cascade: ["Cascade Regional Multiple Listing Service", 6],
};

/** Approves the sample's datasets that have no profile yet. Existing profiles are not changed. */
export async function prepareDemoProfiles(profiles: ProfileRegistry, at: number): Promise<void> {
  const known = new Set((await profiles.list()).map(({ datasetId }) => datasetId));
  for (const { id, name, datasetId } of sampleSystems) {
    const profile = approved[id];
    if (profile !== undefined && !known.has(datasetId))
      await profiles.set(toProfile(id, name, datasetId, profile, at));
  }
}

const toProfile = (
  id: string,
  displayName: string,
  datasetId: string,
  [fullName, updateHours]: readonly [string, number],
  at: number,
): MlsProfile => ({
  datasetId,
  displayName,
  fullName,
  disclaimer: `Listings of ${fullName}, which are invented. Information is deemed reliable but is not guaranteed.`,
  logoUrl: `https://${id}.example/logo.svg`,
  rulesUrl: `https://${id}.example/rules`,
  updateHours,
  approved: at,
});
