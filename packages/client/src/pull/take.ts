import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readColumns } from "../content/columns.ts";
import type { Standing, Target } from "../load/target.ts";
import { onDisk } from "./disk.ts";
import type { VerifiedManifest } from "./manifest.ts";
import type { StagedDelivery, StagingOptions } from "./staging.ts";
import type { OnBytes } from "./transfer.ts";

export type TakeOptions = {
  readonly target: Target;
  /** Folder for parts until they are loaded; a folder target has its own. */
  readonly staging: string;
  /** Parts that are fetched at a time. */
  readonly parallel?: number;
  readonly onManifest?: (delivery: VerifiedManifest, standing: Standing) => void;
  readonly onBytes?: OnBytes;
  /** Told when all parts are there, and the load begins. */
  readonly onLoad?: () => void;
};

/** Stage a delivery and load it, unless it was loaded before. */
export async function take(
  delivery: VerifiedManifest,
  stage: (options: StagingOptions) => Promise<StagedDelivery>,
  options: TakeOptions,
): Promise<Standing> {
  const { target, parallel = 4, onBytes = () => {} } = options;
  const standing = await target.standing(delivery);
  options.onManifest?.(delivery, standing);
  if (standing === "done") return standing;
  const staging = target.staging ?? options.staging;
  const staged = await stage({ staging, parallel, onBytes });
  options.onLoad?.();
  await target.load({ ...staged, datasets: await readColumns(staged.manifest, staged.folder) });
  await discard(staging, staged.manifest.deliveryId);
  return standing;
}

/** Remove what was staged of a delivery. */
export async function discard(staging: string, deliveryId: string): Promise<void> {
  const folder = join(staging, deliveryId);
  await onDisk(folder, () => rm(folder, { recursive: true, force: true }));
}
