import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";

/** A part or a manifest whose stored bytes were found to be damaged, for the log. */
export type DamageReport = {
  readonly delivery: string;
  /** Number of the part; 0: the manifest. */
  readonly part: number;
  /** The error. It names hashes and lengths, never data. */
  readonly cause: unknown;
};

const damages: ReadonlySet<DeliveryErrorCode> = new Set(["part_missing", "part_damaged"]);

/** True if an error says that stored bytes are missing or do not match their hash. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DeliveryError && damages.has(error.code);

/** The ledger and callback that damage is reported to. */
export type DamageNotes = {
  readonly ledger: Pick<DeliveryLedger, "damage">;
  readonly clock: () => number;
  /** Called once for each newly damaged part or manifest. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
};

/**
 * Marks a part or manifest as damaged. It is not granted until a worker has rebuilt it.
 *
 * @throws {StoreError} `registry_unavailable`
 */
export async function noteDamage(
  { ledger, clock, onDamage = () => {} }: DamageNotes,
  sha256: string,
  report: DamageReport,
): Promise<void> {
  if (await ledger.damage.mark(sha256, clock())) onDamage(report);
}
