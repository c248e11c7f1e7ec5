/** Where tests have a worker die: each place between two effects that a successor has to cope with. */
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

export type CrashPoint = (typeof crashPoints)[number];
