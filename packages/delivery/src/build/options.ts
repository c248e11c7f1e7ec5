import type { Scope } from "@cadastre/entitlement";
import type { ManifestSignature } from "@cadastre/manifest";
import type { Destinations } from "../destinations/destinations.ts";
import type { DeliveryErrorCode } from "../errors.ts";
import type { StartJobTrace } from "../job-trace.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { DamageReport } from "../parts/damage.ts";
import type { PartStore } from "../parts/part-store.ts";
import type { PointerChange } from "../publication/publish-delivery.ts";
import type { ExportSource } from "../source/export-source.ts";
import type { CrashPoint } from "./crash-point.ts";

/**
 * Outcome of work on a delivery. `sealed`: it waits to be published; `lost`: another worker has taken over, or it was
 * canceled; `rebuilt`, `damaged`: a part of it is intact again, or still to be rebuilt.
 */
export type WorkOutcome =
  | "complete"
  | "sealed"
  | "released"
  | "queued"
  | "canceled"
  | "failed"
  | "lost"
  | "rebuilt"
  | "damaged";

/** Report of a worker, for the log. */
export type WorkReport = {
  readonly delivery: string;
  readonly outcome: WorkOutcome;
  readonly code?: DeliveryErrorCode | undefined;
  /** The error. It may quote data. */
  readonly cause?: unknown;
};

/** Settings of a worker, all of which have defaults. Times are in milliseconds. */
export type WorkerSettings = {
  /** Returns the time since 1970. By default the system time. */
  readonly clock: () => number;
  /** Duration of a lease. If the worker does not renew it, another one takes over the delivery. By default 30,000. */
  readonly lease: number;
  /** Number of attempts without progress after which a delivery fails. By default 8. */
  readonly attempts: number;
  /** Wait before the next look for work. By default 1000. */
  readonly poll: number;
  /** Wait before the second attempt. It doubles with each further attempt. By default 5000. */
  readonly backoff: number;
  readonly report: (work: WorkReport) => void;
  /** Called with the first of successive errors of looking for work, such as that of a registry that cannot be reached. */
  readonly onFailure: (error: unknown) => void;
  /** Starts the trace of a job. By default none is recorded. */
  readonly trace: StartJobTrace;
  /** Called and awaited at each crash point: tests end the process there. @internal */
  readonly at: (point: CrashPoint) => Promise<void> | void;
};

/** Dependencies of a worker that builds. */
export type WorkerMeans = {
  readonly ledger: Pick<DeliveryLedger, "damage" | "manifest" | "parts" | "queue" | "retention">;
  readonly source: ExportSource;
  readonly parts: PartStore;
  /**
   * Returns the scope that a customer is granted now; undefined if none. If it throws an `EntitlementError` of the kind `forbidden`, the
   * delivery is canceled.
   */
  readonly scopeOf: (customer: string) => Promise<Scope | undefined>;
  /** Signs the bytes of a manifest. */
  readonly sign: (bytes: Uint8Array, delivery: Delivery) => Promise<ManifestSignature>;
  /** Name of the worker in the ledger. */
  readonly name: string;
};

/** Dependencies of a publisher. */
export type PublisherMeans = Pick<WorkerMeans, "parts" | "scopeOf" | "name"> & {
  readonly ledger: Pick<DeliveryLedger, "damage" | "document" | "manifest" | "queue">;
  readonly destinations: Pick<Destinations, "find" | "open" | "degrade" | "notePointer">;
  /** Called for damage of a part that is found while it is published. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
  /** Called if a bucket begins to deny that pointers are replaced, or allows it again. If it throws, the publication is tried again. */
  readonly onPointer?: ((change: PointerChange) => Promise<void> | void) | undefined;
};

type GivenSettings = {
  readonly [Setting in keyof WorkerSettings]?: WorkerSettings[Setting] | undefined;
};

export type WorkerOptions = WorkerMeans & GivenSettings;
export type PublisherOptions = PublisherMeans & GivenSettings;
