import type { UsageReport } from "../access/usage-exchange.ts";
import type { MetricValues } from "../http/metrics.ts";
import type { StartedService } from "../running-service.ts";

/** A message of a serving process to the primary. */
export type FromServing =
  | { readonly kind: "started"; readonly started: StartedService }
  /** The process could not start, and ends. */
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "metrics"; readonly values: MetricValues }
  | { readonly kind: "usage"; readonly report: UsageReport }
  /** A database is damaged. */
  | { readonly kind: "damaged" };

/** A message of the primary to a serving process. */
export type ToServing =
  | { readonly kind: "stop" }
  /** Asks for the metrics. */
  | { readonly kind: "metrics" }
  /** The report of another process, by its number. */
  | { readonly kind: "usage"; readonly from: number; readonly report: UsageReport }
  /** Another process has ended. */
  | { readonly kind: "ended"; readonly from: number }
  | { readonly kind: "damaged" };

// Environment variables of a serving process: its number, from 0, and the id of the machine.
export const processNumber = "CADASTRE_PROCESS";
export const machineId = "CADASTRE_MACHINE";
