import { type Identities, identitiesOf } from "@cadastre/store/property";
import type { IdentityRegister } from "@cadastre/store/registry";
import { TtlCache } from "../ttl-cache.ts";

/** Returns the resolution of property ids. @throws {StoreError} `registry_unavailable` */
export type RecentIdentities = () => Promise<Identities>;

/** Caches the resolved identities. Their revision is cached for `takesEffectWithin`; when it has changed, they are read again. */
export function recentIdentities(
  register: Pick<IdentityRegister, "revision" | "resolutions">,
  clock?: () => number,
): RecentIdentities {
  const revisions = new TtlCache<number>(clock);
  // The clock always returns 0, so the answer never expires: it is replaced when the revision changes.
  const answers = new TtlCache<Identities>(() => 0);
  let read: number | undefined;
  return async () => {
    const revision = await revisions.get("revision", () => register.revision());
    const freshness = revision === read ? "recent" : "fresh";
    read = revision;
    return answers.get("identities", async () => identitiesOf(await register.resolutions()), freshness);
  };
}
