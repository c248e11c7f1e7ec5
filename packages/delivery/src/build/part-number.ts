import type { ManifestPart } from "@cadastre/manifest";
import type { OutputProfile } from "../profiles/profile.ts";

/**
 * Returns the number of a delivery's part by its ordinal, from 0 on. Numbers are names: they are neither contiguous nor in order, so that
 * no client relies on either. Neighbours are swapped, then spread: 10, 3, 24, 17, … The result is never 0, which stands for the manifest.
 */
export const partNumber = (ordinal: number): number =>
  7 * (ordinal % 2 === 0 ? ordinal + 1 : ordinal - 1) + 3;

/** Returns the file name of a part, such as `listing-00010.jsonl.gz` or `listing-00003.removals.jsonl.gz`. */
export function partName(
  { dataset, content }: Pick<ManifestPart, "dataset" | "content">,
  number: number,
  { format, compression }: Pick<OutputProfile, "format" | "compression">,
): string {
  const name = `${dataset}-${String(number).padStart(5, "0")}`;
  return `${name}${content === "rows" ? "" : ".removals"}.${format}${compression === "gzip" ? ".gz" : ""}`;
}
