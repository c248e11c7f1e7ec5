import { lstat, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Manifest } from "@cadastre/manifest";
import { readColumns } from "../content/columns.ts";
import { readSchema } from "../content/schema.ts";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing } from "../fetch/disk.ts";
import { withLock } from "../fetch/lock.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import {
  databaseStaging,
  discard,
  ownStaging,
  type StagedDelivery,
  type StagingOptions,
} from "../fetch/staging.ts";
import type { OnBytes } from "../fetch/transfer.ts";
import type { LoadReport, LoadState, LoadTarget } from "../load/target.ts";

export type { LoadReport };

export type TakeOptions = {
  readonly target: LoadTarget;
  /** Folder for parts until they are loaded. By default the target's staging folder. */
  readonly staging?: string | undefined;
  /** Number of parts that are fetched concurrently. */
  readonly parallel?: number;
  /** Maximum number of bytes to fetch for one delivery, repeated transfers included. By default there is no limit. */
  readonly maxBytes?: number | undefined;
  readonly onManifest?: (delivery: VerifiedManifest, standing: LoadState) => void;
  readonly onBytes?: OnBytes;
  /** Called when all parts are staged, before the load begins. */
  readonly onLoad?: () => void;
};

/** Stages a delivery and loads it, unless it was loaded before. */
export async function take(
  delivery: VerifiedManifest,
  stage: (options: StagingOptions) => Promise<StagedDelivery>,
  options: TakeOptions,
): Promise<LoadReport> {
  const { target, parallel = 4, maxBytes, onBytes = () => {} } = options;
  const standing = await target.standing(delivery);
  options.onManifest?.(delivery, standing);
  if (standing === "done") return { standing, rowsBefore: 0 };
  const { deliveryId } = delivery.manifest;
  const staging = await openStaging(options, deliveryId);
  return withLock(join(staging, deliveryId), async () => {
    if (standing === "damaged") {
      await stage({ staging: target.folder ?? "", parallel, maxBytes, onBytes });
      return { standing, rowsBefore: 0 };
    }
    const staged = await stage({ staging, parallel, maxBytes, onBytes });
    options.onLoad?.();
    // `done` if another run has loaded it since.
    const report = await target.load({
      ...staged,
      datasets: await readColumns(staged.manifest, staged.folder),
      schema: await readSchema(staged.manifest, staged.folder),
    });
    await discard(staging, staged.manifest);
    return report;
  });
}

/**
 * Returns the folder for parts until they are loaded.
 *
 * @throws {ClientError} `staging_is_target` if deliveries were loaded into that folder: they would be mistaken for staged ones
 */
export async function openStaging(
  { staging, target }: Pick<TakeOptions, "staging" | "target">,
  deliveryId?: string,
): Promise<string> {
  const chosen = staging || (target.staging ?? databaseStaging);
  const marker = join(chosen, ownStaging);
  if ((await onDisk(marker, () => lstat(marker).catch(unlessMissing))) !== undefined)
    throw new ClientError("staging_is_target", { folder: chosen });
  if (deliveryId !== undefined && dirname(chosen) === databaseStaging) await adopt(chosen, deliveryId);
  return chosen;
}

/** Removes what was staged of a loaded delivery, unless another run is working on it. */
export async function discardLoaded(options: TakeOptions, manifest: Manifest): Promise<void> {
  const staging = await openStaging(options, manifest.deliveryId);
  const folder = join(staging, manifest.deliveryId);
  if ((await onDisk(folder, () => lstat(folder).catch(unlessMissing))) === undefined) return;
  await withLock(folder, () => discard(staging, manifest)).catch((error: unknown) => {
    if (!(error instanceof ClientError && error.code === "staging_in_use")) throw error;
  });
}

/** Moves what an earlier version has staged of a delivery: it had one folder for all databases. */
async function adopt(staging: string, deliveryId: string): Promise<void> {
  const [before, now] = [join(databaseStaging, deliveryId), join(staging, deliveryId)];
  await onDisk(before, async () => {
    if ((await lstat(before).catch(unlessMissing)) === undefined) return;
    await mkdir(staging, { recursive: true, mode: 0o700 });
    // Fails if there is a newer one, or another run was faster. Then it is not needed.
    await rename(before, now).catch(() => {});
  });
}
