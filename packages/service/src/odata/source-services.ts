import type { Scope } from "@cadastre/entitlement";
import type { Store } from "@cadastre/store";
import type { Config } from "../config.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { RecentIdentities } from "../identity/recent-identities.ts";
import type { Stages } from "../telemetry/stages.ts";

/** Services that a source reads from. */
export type SourceServices = {
  readonly store: Store;
  readonly memory: MemoryBudget;
  readonly config: Pick<Config, "minimumCellSize">;
  /** Returns the resolution of Placekeys to properties. */
  readonly identities: RecentIdentities;
};

/** The caller that a source reads for, and the timer of the request. */
export type SourceCaller = { readonly scope: Scope; readonly stages: Stages };
