import { rm } from "node:fs/promises";
import { readColumns } from "../content/columns.ts";
import type { Connection } from "../http/connection.ts";
import type { Standing, Target } from "../load/target.ts";
import { onDisk } from "./disk.ts";
import { acknowledge } from "./exports.ts";
import { fetchManifest, type Trust, type VerifiedManifest } from "./manifest.ts";
import type { Pins } from "./pins.ts";
import { stageParts } from "./staging.ts";
import type { OnBytes } from "./transfer.ts";

export type PullOptions = {
  readonly target: Target;
  /** Folder for parts until they are loaded; a folder target has its own. */
  readonly staging: string;
  readonly trust: Trust;
  readonly pins?: Pins;
  /** Parts that are fetched at a time. */
  readonly parallel?: number;
  /** What the acknowledgement says; null: none is sent. */
  readonly reference: string | null;
  readonly onManifest?: (delivery: VerifiedManifest, standing: Standing) => void;
  readonly onBytes?: OnBytes;
  /** Told when all parts are there, and the load begins. */
  readonly onLoad?: () => void;
};

export type PullReport = {
  readonly delivery: VerifiedManifest;
  /** `done`: it had been loaded before. */
  readonly standing: Standing;
  readonly acknowledged: boolean;
};

/**
 * The whole procedure for a complete delivery: manifest, parts, load, acknowledgement. After an interruption the same call goes on
 * with the parts that are missing.
 *
 * @throws {ClientError | ManifestError}
 */
export async function pull(connection: Connection, id: string, options: PullOptions): Promise<PullReport> {
  const { target, reference, trust, pins = {}, parallel = 4, onBytes = () => {} } = options;
  const delivery = await fetchManifest(connection, id, { trust, pins });
  const before = await target.standing(delivery);
  options.onManifest?.(delivery, before);
  if (before === "new") {
    const staging = target.staging ?? options.staging;
    const staged = await stageParts(connection, delivery, { staging, parallel, onBytes });
    options.onLoad?.();
    await target.load({ ...staged, datasets: await readColumns(staged.manifest, staged.folder) });
    await onDisk(staged.folder, () => rm(staged.folder, { recursive: true, force: true }));
  }
  if (reference !== null) await acknowledge(connection, delivery, reference);
  return { delivery, standing: before, acknowledged: reference !== null };
}
