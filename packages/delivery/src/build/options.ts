import type { Scope } from "@cadastre/entitlement";
import type { ManifestSignature } from "@cadastre/manifest";
import type { Destinations } from "../destinations/destinations.ts";
import type { DeliveryErrorCode } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { DamageReport } from "../parts/damage.ts";
import type { PartStore } from "../parts/part-store.ts";
import type { ExportSource } from "../source/export-source.ts";
import type { CrashPoint } from "./crash-point.ts";

/**
 * The outcome of work on a delivery. `sealed`: it waits to be published; `lost`: another worker has it by now, or it was
 * canceled; `rebuilt`, `damaged`: a part of it is good again, or still to be rebuilt.
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

/** What a worker tells of its work, for the log. */
export type WorkReport = {
  readonly delivery: string;
  readonly outcome: WorkOutcome;
  readonly code?: DeliveryErrorCode | undefined;
  /** What was caught. It may quote data. */
  readonly cause?: unknown;
};

/** What is told to a worker, or is as it is by default. Times are in milliseconds. */
export type WorkerSettings = {
  /** The time since 1970. By default that of this machine. */
  readonly clock: () => number;
  /** How long a delivery is the worker's unless it says that it lives. By default 30,000. */
  readonly lease: number;
  /** How often a delivery is tried without progress until it fails. By default 8. */
  readonly attempts: number;
  /** How long to wait before looking for work again. By default 1000. */
  readonly poll: number;
  /** How long to wait before a second attempt, and twice as long before each other. By default 5000. */
  readonly backoff: number;
  readonly report: (work: WorkReport) => void;
  /** Is waited for at each point: tests have the process die there. */
  readonly at: (point: CrashPoint) => Promise<void> | void;
};

/** What a worker builds from. */
export type WorkerMeans = {
  readonly ledger: Pick<DeliveryLedger, "damage" | "manifest" | "parts" | "queue" | "retention">;
  readonly source: ExportSource;
  readonly parts: PartStore;
  /** What a customer is granted now; undefined: nothing. What it throws of entitlements that changed cancels the delivery. */
  readonly scopeOf: (customer: string) => Promise<Scope | undefined>;
  /** Signs the bytes of a manifest. */
  readonly sign: (bytes: Uint8Array, delivery: Delivery) => Promise<ManifestSignature>;
  /** Names the worker in the ledger. */
  readonly name: string;
};

/** What a publisher publishes by. */
export type PublisherMeans = Pick<WorkerMeans, "parts" | "scopeOf" | "name"> & {
  readonly ledger: Pick<DeliveryLedger, "damage" | "manifest" | "queue">;
  readonly destinations: Pick<Destinations, "find" | "open" | "degrade">;
  /** Called for damage of a part that is found while it is published. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
};

type GivenSettings = {
  readonly [Setting in keyof WorkerSettings]?: WorkerSettings[Setting] | undefined;
};

export type WorkerOptions = WorkerMeans & GivenSettings;
export type PublisherOptions = PublisherMeans & GivenSettings;
