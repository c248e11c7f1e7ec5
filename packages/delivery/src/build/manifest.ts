import type { Manifest, ManifestPart } from "@cadastre/manifest";
import type { Pinned } from "../exports/pinned.ts";
import type { Delivery, DeliveryPart } from "../ledger/delivery.ts";
import type { DeliveredDataset } from "../profiles/profile.ts";
import { manifestProfile } from "../profiles/profile.ts";

const instant = (at: number): string => new Date(at).toISOString();

const sum = (parts: readonly ManifestPart[], member: "rowCount" | "removalCount" | "byteLength"): number =>
  parts.reduce((total, part) => total + part[member], 0);

/** Returns the manifest of a delivery whose parts are finished. It does not depend on the worker that finished them. */
export function manifestOf(
  delivery: Delivery,
  { profile, schema, window, asOf, sources, attribution, documents }: Pinned,
  datasets: readonly DeliveredDataset[],
  finished: readonly DeliveryPart[],
): Manifest {
  const parts = finished.map(({ entry }) => JSON.parse(entry) as ManifestPart);
  return {
    schemaVersion: 2,
    manifestType: "delivery",
    deliveryId: delivery.id,
    customerId: delivery.customer,
    subscriptionId: delivery.subscription,
    domain: profile.domain,
    kind: delivery.kind,
    generation: delivery.generation,
    sequence: delivery.sequence,
    previous: delivery.previous,
    noChange: delivery.kind === "delta" && parts.length === 0,
    window: { ...window, fromExclusive: true, asOf: instant(asOf ?? delivery.created) },
    entitlement: { version: delivery.entitlementVersion, scopeSha256: delivery.scopeSha256 },
    schema,
    profile: manifestProfile(profile),
    datasets: datasets.map(({ name, resource, keyField }) => {
      const own = parts.filter(({ dataset }) => dataset === name);
      return {
        name,
        resource,
        keyField,
        rowCount: sum(own, "rowCount"),
        removalCount: sum(own, "removalCount"),
        partNumbers: own.map(({ number }) => number),
        ...(sources.length === 0 ? {} : { sources }),
      };
    }),
    parts,
    totals: {
      partCount: parts.length,
      rowCount: sum(parts, "rowCount"),
      removalCount: sum(parts, "removalCount"),
      byteLength: sum(parts, "byteLength"),
    },
    createdAt: instant(delivery.created),
    expiresAt: instant(delivery.expires),
    attribution,
    ...(documents === undefined ? {} : { documents }),
  };
}
