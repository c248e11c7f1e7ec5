import type { ClaimedDelivery, Destination, OperatedDelivery, Subscription } from "@cadastre/delivery";
import { compileScope } from "@cadastre/entitlement";
import type { WorkerRecord } from "@cadastre/store/registry";
import { scopeOptionsOf } from "../../catalog.ts";
import type { Config } from "../../config.ts";
import { currentCatalog } from "../../data/catalogs.ts";
import type { DataFolder } from "../../data/data-folder.ts";
import type { Registry } from "../../data/registry.ts";
import { longestSilence } from "../../worker-heartbeat.ts";
import { installedOf, stateOfInstalled } from "../entitlement/document-source.ts";
import { CommandRefused } from "../outcome.ts";

/** The entitlement that a customer has now, compared with the one that a delivery was asked for under. */
type EntitlementStanding = {
  /** `same`: the delivery can be built; `other`: another scope is in force; `none`: no entitlement is in force. */
  readonly is: "same" | "other" | "none";
  /** Null if nothing is installed. */
  readonly version: number | null;
  readonly sentence: string;
};

/** Present state of everything that a delivery depends on. */
export type DeliveryContext = {
  readonly operated: OperatedDelivery;
  /** Workers that have left a heartbeat lately. */
  readonly workers: readonly WorkerRecord[];
  readonly claimed: readonly ClaimedDelivery[];
  readonly config: Pick<Config, "push" | "worker" | "runsFeeds">;
  readonly entitlement: EntitlementStanding;
  readonly destination: Destination | undefined;
  readonly subscription: Subscription | undefined;
};

/** Returns the workers that are alive. */
export const liveWorkers = async ({ workers }: Pick<Registry, "workers">): Promise<readonly WorkerRecord[]> =>
  (await workers.list()).filter(({ silence }) => silence <= longestSilence);

/** Reads what a delivery depends on. */
export async function readContext(
  operated: OperatedDelivery,
  registry: Registry,
  folder: DataFolder,
  config: Config,
): Promise<DeliveryContext> {
  const { operations } = registry;
  const { destination, subscription } = operated.delivery;
  return {
    operated,
    config,
    workers: await liveWorkers(registry),
    claimed: await operations.claimed(),
    entitlement: await standingOf(operated, registry, folder, config),
    destination: destination === null ? undefined : await operations.destination(destination),
    subscription: subscription === null ? undefined : await operations.subscription(subscription),
  };
}

async function standingOf(
  { delivery: { customer, scopeSha256 } }: OperatedDelivery,
  registry: Registry,
  folder: DataFolder,
  config: Config,
): Promise<EntitlementStanding> {
  const installed = await installedOf(customer, registry).catch((error: unknown) => {
    if (error instanceof CommandRefused) return undefined;
    throw error;
  });
  if (installed === undefined) return { is: "none", version: null, sentence: "removed" };
  const { version, document } = installed;
  const { isInForce, sentence } = await stateOfInstalled(installed, config, folder, Date.now());
  if (!isInForce) return { is: "none", version, sentence };
  const { catalog } = await currentCatalog(registry.catalogs);
  const scope = compileScope(document, scopeOptionsOf(catalog));
  return { is: scope.scopeSha256 === scopeSha256 ? "same" : "other", version, sentence };
}
