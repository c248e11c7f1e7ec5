import type { PartStore } from "@cadastre/delivery";
import type { Builds } from "@cadastre/store";
import type { TrustedIssuer } from "../access/trust.ts";
import type { DataFolder } from "../data/data-folder.ts";
import type { Registry } from "../data/registry.ts";
import { pepperReader } from "../data/secrets.ts";
import type { PartsPlace } from "../delivery/parts-place.ts";
import { type Activation, servesRecords } from "../gates/activation.ts";
import type { ReadinessCheck } from "../http/readiness.ts";
import { isSqlite } from "./database-file.ts";

/** Components of the service that the checks use. */
export type Needed = {
  readonly folder: DataFolder;
  readonly builds: Pick<Builds, "current">;
  readonly registry: Pick<Registry, "keys" | "sealed">;
  readonly trust: Pick<TrustedIssuer, "keys">;
  readonly activation: Pick<Activation, "entitySets">;
  /** Undefined if parts are in a bucket. */
  readonly partsPlace: PartsPlace | undefined;
  /** Undefined if this process writes no parts. */
  readonly parts: Pick<PartStore, "probe"> | undefined;
};

/** Shortest interval between two probes of the parts' place, in milliseconds. */
const probeInterval = 10_000;

/** Returns the readiness checks of a service. */
export function readinessChecks(needed: Needed): readonly ReadinessCheck[] {
  const { folder, builds, registry, trust, activation, partsPlace, parts } = needed;
  const peppers = pepperReader(folder, registry);
  const isPostgres = folder.postgres !== undefined;
  const isInPlace = async () => (await partsPlace?.isOwn()) ?? true;
  const checks: readonly ReadinessCheck[] = [
    {
      reason: "database_unreadable",
      passes: async () => {
        await builds.current("Property");
        return isPostgres || isSqlite(folder.database);
      },
    },
    {
      reason: "registry_unreadable",
      passes: async () => {
        // No key has this digest: the lookup reads the index and finds nothing.
        await registry.keys.find([""]);
        return isPostgres || isSqlite(folder.registry);
      },
    },
    { reason: "secrets_missing", passes: async () => (await peppers()).length > 0 },
    { reason: "trust_set_empty", passes: async () => trust.keys.size() > 0 },
    { reason: "no_active_build", passes: async () => servesRecords(activation.entitySets()) },
    { reason: "parts_foreign", passes: isInPlace },
  ];
  if (parts === undefined) return checks;
  const passes = async () => {
    // Otherwise `parts_foreign` is reported.
    if (await isInPlace()) await parts.probe();
    return true;
  };
  return [...checks, { reason: "parts_not_writable", lifetime: probeInterval, passes }];
}
