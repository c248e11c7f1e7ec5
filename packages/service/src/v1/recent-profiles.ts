import type { MlsProfile, ProfileRegistry } from "@cadastre/store/registry";
import { TtlCache } from "../ttl-cache.ts";

/** Returns the profiles, including drafts, by dataset id. @throws {StoreError} `registry_unavailable` */
export type RecentProfiles = () => Promise<ReadonlyMap<string, MlsProfile>>;

/** Caches the profiles for at most `takesEffectWithin`, and not past a change of `revision`. */
export function recentProfiles(
  registry: Pick<ProfileRegistry, "list">,
  clock?: () => number,
  revision?: () => number,
): RecentProfiles {
  const answers = new TtlCache<ReadonlyMap<string, MlsProfile>>(clock, revision);
  return () =>
    answers.get(
      "profiles",
      async () => new Map((await registry.list()).map((profile) => [profile.datasetId, profile])),
    );
}

/** Returns the profile of a dataset. Undefined if it has none or only a draft. */
export const approvedIn = (
  profiles: ReadonlyMap<string, MlsProfile>,
  datasetId: string,
): MlsProfile | undefined => {
  const profile = profiles.get(datasetId);
  return profile === undefined || profile.approved === null ? undefined : profile;
};
