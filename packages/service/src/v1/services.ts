import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";
import type { RecentProfiles } from "./recent-profiles.ts";

/** What the JSON endpoints work with. */
export type V1Services = {
  readonly store: Store;
  /** The sets that have passed their gates, as of now; hidden fields and all. */
  readonly activeEntitySets: readonly EntitySet[];
  readonly identities: RecentIdentities;
  readonly profiles: RecentProfiles;
  readonly config: Pick<
    Config,
    "minimumCellSize" | "requestsPerSecond" | "concurrentQueries" | "scanSeconds"
  >;
};
