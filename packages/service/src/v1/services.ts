import type { EntitySet } from "@cadastre/odata";
import type { Catalog } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";
import type { RecentProfiles } from "./recent-profiles.ts";

/** Dependencies of the JSON endpoints. */
export type V1Services = {
  readonly catalog: Catalog;
  readonly store: Store;
  /** Entity sets whose current build has passed its gates, with all fields, including those hidden from a caller. */
  readonly activeEntitySets: readonly EntitySet[];
  readonly identities: RecentIdentities;
  readonly profiles: RecentProfiles;
  readonly config: Pick<
    Config,
    "minimumCellSize" | "requestsPerSecond" | "concurrentQueries" | "scanSeconds"
  >;
};
