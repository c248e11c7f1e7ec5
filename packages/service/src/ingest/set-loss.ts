import type { SetChange } from "@cadastre/store";

/** Number of records before a change, and number of those that it would remove. */
export type Loss = Pick<SetChange, "before" | "removed">;

/** True if more than `maxShrink` percent would be removed. A single record may always be removed, even from a set of four. */
export const exceeds = ({ before, removed }: Loss, maxShrink: number): boolean =>
  removed > 1 && removed * 100 > before * maxShrink;

/** Returns the message about a removal: `Property of lonestar: 7007 of 20000 records (35 %) would be removed, …`. */
export const lossText = (set: string, { before, removed }: Loss, maxShrink: number): string =>
  `${set}: ${removed} of ${before} records (${percentage({ before, removed })} %) would be removed, more than the ${maxShrink} % of CADASTRE_MAX_SHRINK`;

const percentage = ({ before, removed }: Loss): number => Math.round((removed / before) * 1000) / 10;

/** Returns the name of the set of a source's records in a resource, for messages: `Property of lonestar`, or `Property of no source`. */
export const describeSet = (resource: string, source: string | null): string =>
  `${resource} of ${source ?? "no source"}`;
