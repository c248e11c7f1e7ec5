import type { Moment, Store } from "../store.ts";

/** Reads the times of commits. */
export type CommitTimes = Pick<Store, "committedAt">;

/** Returns the commit of a checkpoint. */
export const commitOf = async (checkpoint: number, commits: CommitTimes): Promise<Moment> => ({
  checkpoint,
  time: (await commits.committedAt(checkpoint)) ?? 0,
});

/** False if a database that was restored, or has failed over, has lost a commit. Another one may have its checkpoint since. */
export const isCommitThere = async ({ checkpoint, time }: Moment, commits: CommitTimes): Promise<boolean> =>
  (await commitOf(checkpoint, commits)).time === time;
