import { type Identities, identitiesOf } from "@cadastre/store/property";
import type { IdentityRegister } from "@cadastre/store/registry";
import { RecentAnswers } from "../access/recent-answers.ts";

/** Gives the properties that ids stand for. @throws {StoreError} `registry_unavailable` */
export type RecentIdentities = () => Promise<Identities>;

/** Caches the resolved identities for at most `takesEffectWithin`, and reads them again if they have changed. */
export function recentIdentities(
  register: Pick<IdentityRegister, "revision" | "resolutions">,
  clock?: () => number,
): RecentIdentities {
  const revisions = new RecentAnswers<number>(clock);
  // By a clock that stands still: kept until the revision is another one.
  const answers = new RecentAnswers<Identities>(() => 0);
  let read: number | undefined;
  return async () => {
    const revision = await revisions.get("revision", () => register.revision());
    const freshness = revision === read ? "recent" : "fresh";
    read = revision;
    return answers.get("identities", async () => identitiesOf(await register.resolutions()), freshness);
  };
}
