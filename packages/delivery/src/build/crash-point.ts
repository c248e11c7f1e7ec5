import type { PublicationPoint } from "../publication/publish.ts";

/** Where tests have a builder die: each place between two effects that a successor has to cope with. */
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

/** Points at which tests kill a worker that rebuilds a part. */
export const rebuildPoints = [
  "after_claim",
  "before_part_write",
  "after_part_write",
  "after_part_replace",
  "after_rebuild",
] as const;

/** Where tests have a worker die, of whatever it does. */
export type CrashPoint =
  | (typeof crashPoints)[number]
  | (typeof rebuildPoints)[number]
  | PublicationPoint
  | "before_complete"
  | "after_complete";
