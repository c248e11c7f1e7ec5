import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { readColumns } from "../content/columns.ts";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing } from "../fetch/disk.ts";
import type { VerifiedManifest } from "../fetch/manifest.ts";
import { discard, ownStaging, type StagedDelivery, type StagingOptions } from "../fetch/staging.ts";
import type { OnBytes } from "../fetch/transfer.ts";
import type { LoadReport, LoadState, LoadTarget } from "../load/target.ts";

export type { LoadReport };

export type TakeOptions = {
  readonly target: LoadTarget;
  /** Folder for parts until they are loaded. By default the target's staging folder, or `.cadastre` if it has none. */
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
  if (standing === "damaged") {
    await stage({ staging: target.folder ?? "", parallel, maxBytes, onBytes });
    return { standing, rowsBefore: 0 };
  }
  const staging = await openStaging(options);
  const staged = await stage({ staging, parallel, maxBytes, onBytes });
  options.onLoad?.();
  const { rowsBefore } = await target.load({
    ...staged,
    datasets: await readColumns(staged.manifest, staged.folder),
  });
  await discard(staging, staged.manifest);
  return { standing, rowsBefore };
}

/**
 * Returns the folder for parts until they are loaded.
 *
 * @throws {ClientError} `staging_is_target` if deliveries were loaded into that folder: they would be mistaken for staged ones
 */
export async function openStaging({
  staging,
  target,
}: Pick<TakeOptions, "staging" | "target">): Promise<string> {
  const chosen = staging || (target.staging ?? ".cadastre");
  const marker = join(chosen, ownStaging);
  if ((await onDisk(marker, () => lstat(marker).catch(unlessMissing))) !== undefined)
    throw new ClientError("staging_is_target", { folder: chosen });
  return chosen;
}
