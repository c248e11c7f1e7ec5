import type { ChainLink } from "@cadastre/manifest";
import { onDisk, writeAtomically } from "../fetch/disk.ts";
import { purgeFolder } from "../load/purge-folder.ts";
import type { LoadTarget, PurgedData } from "../load/target.ts";
import { openStaging, type TakeOptions } from "./take.ts";

/** Evidence that a copy was deleted because its entitlement was revoked, as it is written to a file. */
export type PurgeReceipt = {
  readonly subscription: string;
  /** The target, as the user has named it. */
  readonly target: string;
  /** `begun` until the deletion is complete. */
  readonly state: "begun" | "done";
  /** Instant at which this was written. */
  readonly at: string;
  /** The last delivery that the copy had. */
  readonly last: {
    readonly deliveryId: string;
    readonly generation: number;
    readonly sequence: number;
    readonly manifestSha256: string;
    readonly asOf: string;
  };
} & PurgedData;

/**
 * Deletes a copy with its staged files, and writes a receipt: before, so that nothing is deleted without one, and again after.
 *
 * @param file of the receipt
 * @param title the target, for the receipt
 */
export async function purgeCopy(
  options: Pick<TakeOptions, "staging"> & { readonly target: LoadTarget },
  last: ChainLink,
  { file, title }: { readonly file: string; readonly title: string },
): Promise<PurgeReceipt> {
  const { manifest, sha256 } = last;
  const subscription = manifest.subscriptionId ?? manifest.deliveryId;
  const { deliveryId, generation, sequence, window } = manifest;
  const write = async (state: PurgeReceipt["state"], data: PurgedData): Promise<PurgeReceipt> => {
    const place = { deliveryId, generation, sequence, manifestSha256: sha256, asOf: window.asOf };
    const receipt = {
      subscription,
      target: title,
      state,
      at: new Date().toISOString(),
      last: place,
      ...data,
    };
    await onDisk(file, () => writeAtomically(file, `${JSON.stringify(receipt, null, 2)}\n`));
    return receipt;
  };
  await write("begun", { deleted: [], left: [] });
  const staging = await openStaging(options);
  const staged = await onDisk(staging, () => purgeFolder(staging, subscription));
  const purged = await options.target.purge(subscription);
  return write("done", {
    deleted: [...purged.deleted, ...staged.deleted],
    left: [...purged.left, ...staged.left],
  });
}
