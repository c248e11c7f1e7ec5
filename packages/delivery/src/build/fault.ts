import { EntitlementError } from "@cadastre/entitlement";
import { ManifestError } from "@cadastre/manifest";
import { StoreError } from "@cadastre/store";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import { isDamage } from "../parts/damage.ts";

/** What is to be done with a delivery that could not be built or published. */
export type Fault = {
  readonly remedy: "lost" | "canceled" | "failed" | "retry";
  readonly code: DeliveryErrorCode;
};

/** What would be no better another time. */
const poison: ReadonlySet<DeliveryErrorCode> = new Set([
  "invalid_record",
  "decimal_out_of_range",
  "invalid_profile",
  "parquet_unavailable",
  "parquet_writer_version",
  "profile_changed",
  "schema_changed",
  "basis_changed",
  "object_damaged",
  "destination_conflict",
  "destination_denied",
  "destination_not_active",
  "part_lost",
]);

/** What the entitlement does not allow any more. */
const ungranted: ReadonlySet<DeliveryErrorCode> = new Set(["entitlement_changed", "capability_required"]);

/** What an error means for the delivery that it kept from being built. */
export function faultOf(error: unknown): Fault {
  if (error instanceof StoreError && error.code === "lease_lost")
    return { remedy: "lost", code: "build_failed" };
  if (error instanceof StoreError && error.code === "bookmark_expired")
    return { remedy: "failed", code: "checkpoint_expired" };
  if (error instanceof EntitlementError && error.outcome === "denied")
    return { remedy: "canceled", code: "entitlement_changed" };
  // A manifest that breaks its own rules.
  if (error instanceof ManifestError) return { remedy: "failed", code: "build_failed" };
  if (!(error instanceof DeliveryError)) return { remedy: "retry", code: "build_failed" };
  const { code } = error;
  // A part that is to be pushed is rebuilt meanwhile.
  if (isDamage(error)) return { remedy: "retry", code: "part_lost" };
  if (ungranted.has(code)) return { remedy: "canceled", code };
  return { remedy: poison.has(code) ? "failed" : "retry", code };
}
