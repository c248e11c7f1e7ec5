import type { EventLog, EventProgress } from "@cadastre/store/registry";

/**
 * A pass over the records, which makes the events give the view as of a checkpoint. It begins at the checkpoint before, or reads all records
 * and compares them with their last events.
 */
export type EventPass = {
  /** The checkpoint before `asOf`; null for a pass over all records. */
  readonly since: number | null;
  readonly asOf: number;
  /** Number of the step that the pass is in. */
  readonly step: number;
  /** Position within the step; null for its start. */
  readonly after: string | null;
};

const startOf = (since: number | null, asOf: number): EventPass => ({ since, asOf, step: 0, after: null });

/** Returns a pass over all records. */
export const fullPass = (asOf: number): EventPass => startOf(null, asOf);

/**
 * Returns the pass that a log has next, or is in; undefined if it has reached the last checkpoint.
 *
 * @param viewId identifies what the customer sees now
 * @param last number of the last commit
 */
export function nextPass(
  log: Pick<EventLog, "checkpoint" | "viewId" | "pass"> | undefined,
  viewId: string,
  last: number,
): EventPass | undefined {
  if (log === undefined) return fullPass(last);
  const { checkpoint } = log;
  // A database that was restored from a backup may lack commits that the log has events of.
  const isKept = checkpoint !== null && checkpoint <= last;
  // The past is not read under another view: it may have had records that the customer never saw.
  if (log.viewId !== viewId) return fullPass(last);
  if (log.pass !== null) {
    const pass = JSON.parse(log.pass) as EventPass;
    return pass.asOf <= last ? pass : fullPass(last);
  }
  if (!isKept) return fullPass(last);
  // Each commit by itself: a record may change and change back, and have been read in between.
  return checkpoint === last ? undefined : startOf(checkpoint, checkpoint + 1);
}

/** Returns the progress of a log in a pass, or at its end. */
export const progressIn = (
  { checkpoint, viewId, catalogVersion }: Omit<EventProgress, "pass">,
  pass: EventPass | null,
): EventProgress => ({
  checkpoint,
  viewId,
  catalogVersion,
  pass: pass === null ? null : JSON.stringify(pass),
});
