import { acknowledge } from "../fetch/exports.ts";
import { fetchManifest, type TrustedKeys, type VerifiedManifest } from "../fetch/manifest.ts";
import type { Pins } from "../fetch/pins.ts";
import { stageParts } from "../fetch/staging.ts";
import type { Connection } from "../http/connection.ts";
import type { LoadReport } from "../load/target.ts";
import { type TakeOptions, take } from "./take.ts";

export type PullOptions = TakeOptions & {
  readonly trust: TrustedKeys;
  readonly pins?: Pins;
  /** Reference in the acknowledgement; null: the delivery is not acknowledged. */
  readonly reference: string | null;
};

/** The standing is that before the pull: `done` if the delivery had been loaded. */
export type PullReport = LoadReport & {
  readonly delivery: VerifiedManifest;
  readonly acknowledged: boolean;
};

/**
 * Runs all steps for a complete delivery: manifest, parts, load, acknowledgement. After an interruption, a repeated call fetches only the
 * missing parts.
 *
 * @throws {ClientError | ManifestError}
 */
export async function pull(connection: Connection, id: string, options: PullOptions): Promise<PullReport> {
  const { reference, trust, pins = {} } = options;
  const delivery = await fetchManifest(connection, id, { trust, pins });
  const report = await take(delivery, (staging) => stageParts(connection, delivery, staging), options);
  if (reference !== null) await acknowledge(connection, delivery, reference);
  return { delivery, ...report, acknowledged: reference !== null };
}
