import type { EntitySet, SkipTokenKey } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";

/** What the OData routes work with. */
export type OdataServices = {
  readonly store: Store;
  readonly config: Pick<Config, "pageSize" | "topIsTotal" | "tokenLife" | "baseUrl">;
  readonly memory: MemoryBudget;
  readonly skipTokenKey: SkipTokenKey;
  /** So many random bytes: for the tokens, of which no two may get the same ones. */
  readonly random: (bytes: number) => Uint8Array;
  /** The sets that have passed their gates, as of now; hidden fields and all. */
  readonly activeEntitySets: readonly EntitySet[];
  /** The properties that Placekeys stand for. */
  readonly identities: RecentIdentities;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};
