import type { EntitySet, SkipTokenKey } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";

/** Dependencies of the OData routes. */
export type OdataServices = {
  readonly store: Store;
  readonly config: Pick<Config, "pageSize" | "topIsTotal" | "tokenLife" | "baseUrl">;
  readonly memory: MemoryBudget;
  readonly skipTokenKey: SkipTokenKey;
  /** Returns this number of random bytes, for the nonces of tokens, which must never repeat. */
  readonly random: (bytes: number) => Uint8Array;
  /** Entity sets whose current build has passed its gates, with all fields, including those hidden from a caller. */
  readonly activeEntitySets: readonly EntitySet[];
  /** Returns the resolution of Placekeys to properties. */
  readonly identities: RecentIdentities;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};
