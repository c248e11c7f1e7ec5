import type { PublicationPoint } from "../publication/publish.ts";

/** Points at which tests kill a worker that builds: between two effects, where a successor must be able to continue. @internal */
export const crashPoints = [
  "after_claim",
  "before_part_write",
  "after_part_write",
  "after_part_announce",
  "before_part_commit",
  "after_part_commit",
  "before_manifest",
  "before_seal",
  "after_manifest",
] as const;

/** Points at which tests kill a worker that rebuilds a part. @internal */
export const rebuildPoints = [
  "after_claim",
  "before_part_write",
  "after_part_write",
  "after_part_replace",
  "after_rebuild",
] as const;

/** Points at which tests kill a worker of any kind. @internal */
export type CrashPoint =
  | (typeof crashPoints)[number]
  | (typeof rebuildPoints)[number]
  | PublicationPoint
  | "before_complete"
  | "after_complete";
