import { EntitlementError } from "@cadastre/entitlement";
import { ManifestError } from "@cadastre/manifest";
import { QueryError } from "@cadastre/odata";
import { StoreError } from "@cadastre/store";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import { isDamage } from "../parts/damage.ts";

/** Meaning of an error for the delivery that a worker could not build or publish. */
export type WorkerFault = {
  readonly remedy: "lost" | "canceled" | "failed" | "retry";
  readonly code: DeliveryErrorCode;
};

/** Permanent errors, which a retry would repeat. */
const permanentErrors: ReadonlySet<DeliveryErrorCode> = new Set([
  "invalid_record",
  "decimal_out_of_range",
  "invalid_profile",
  "parquet_unavailable",
  "parquet_writer_version",
  "profile_changed",
  "schema_changed",
  "basis_changed",
  "filter_outdated",
  "object_damaged",
  "destination_conflict",
  "destination_denied",
  "destination_not_active",
  "part_lost",
]);

/** Errors which mean that the entitlement no longer permits the delivery. */
const ungranted: ReadonlySet<DeliveryErrorCode> = new Set(["entitlement_changed", "capability_required"]);

/** Returns the meaning of an error for the delivery that was being built or published. */
export function workerFaultOf(error: unknown): WorkerFault {
  if (error instanceof DeliveryError && error.code === "lease_lost")
    return { remedy: "lost", code: "build_failed" };
  if (error instanceof StoreError && error.code === "bookmark_expired")
    return { remedy: "failed", code: "checkpoint_expired" };
  if (error instanceof EntitlementError && error.kind === "forbidden")
    return { remedy: "canceled", code: "entitlement_changed" };
  // The manifest does not satisfy its own rules.
  if (error instanceof ManifestError) return { remedy: "failed", code: "build_failed" };
  // A condition that no statement can be made of.
  if (error instanceof QueryError) return { remedy: "failed", code: "build_failed" };
  if (!(error instanceof DeliveryError)) return { remedy: "retry", code: "build_failed" };
  const { code } = error;
  // A rebuilder rebuilds the damaged part before the retry.
  if (isDamage(error)) return { remedy: "retry", code: "part_lost" };
  if (ungranted.has(code)) return { remedy: "canceled", code };
  return { remedy: permanentErrors.has(code) ? "failed" : "retry", code };
}
