import type { DeliveryLedger } from "@cadastre/store/registry";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";

/** A part or a manifest whose stored bytes were found to be damaged, for the log. */
export type DamageReport = {
  readonly delivery: string;
  /** Number of the part; 0: the manifest. */
  readonly part: number;
  /** What was found. It names hashes and lengths, and quotes no data. */
  readonly cause: unknown;
};

const damages: ReadonlySet<DeliveryErrorCode> = new Set(["part_missing", "part_damaged"]);

/** True if an error says that stored bytes are not those of their hash. */
export const isDamage = (error: unknown): boolean =>
  error instanceof DeliveryError && damages.has(error.code);

/** Where damage is noted. */
export type DamageNotes = {
  readonly ledger: Pick<DeliveryLedger, "damage">;
  readonly clock: () => number;
  /** Called once for bytes that were not known to be damaged. */
  readonly onDamage?: ((report: DamageReport) => void) | undefined;
};

/**
 * Marks bytes as damaged, so that nobody is granted them until a worker has rebuilt them.
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
