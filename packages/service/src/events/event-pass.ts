import type { Moment } from "@cadastre/store";
import { type CommitTimes, commitOf, isCommitThere } from "@cadastre/store/changes";
import type { EventLog, EventProgress } from "@cadastre/store/registry";

/**
 * A pass over the records, which makes the events give the view as of a commit. It begins at the commit before, or reads all records and
 * compares them with their last events.
 */
export type EventPass = {
  /** The commit before `asOf`; null for a pass over all records. */
  readonly since: Moment | null;
  readonly asOf: Moment;
  /** Number of the step that the pass is in. */
  readonly step: number;
  /** Position within the step; null for its start. */
  readonly after: string | null;
};

/** Reads the pass of a log; undefined for one of a release that did not note the times of commits. */
function readPass(text: string): EventPass | undefined {
  const pass = JSON.parse(text) as EventPass | { readonly asOf: number };
  return typeof pass.asOf === "number" ? undefined : (pass as EventPass);
}

const startOf = (since: Moment | null, asOf: Moment): EventPass => ({ since, asOf, step: 0, after: null });

/** Returns a pass over all records. */
export const fullPass = (asOf: Moment): EventPass => startOf(null, asOf);

/**
 * Returns the pass that a log has next, or is in; undefined if it has reached the last commit.
 *
 * @param viewId identifies what the customer sees now
 */
export async function nextPass(
  log: Pick<EventLog, "until" | "viewId" | "pass"> | undefined,
  viewId: string,
  last: Moment,
  commits: CommitTimes,
): Promise<EventPass | undefined> {
  // The past is not read under another view: it may have had records that the customer never saw.
  if (log === undefined || log.viewId !== viewId) return fullPass(last);
  if (log.pass !== null) {
    const pass = readPass(log.pass);
    const begun = pass === undefined ? [] : [pass.asOf, ...(pass.since === null ? [] : [pass.since])];
    const kept = await Promise.all(begun.map((moment) => isCommitThere(moment, commits)));
    return pass === undefined || kept.includes(false) ? fullPass(last) : pass;
  }
  const { until } = log;
  if (until === null || !(await isCommitThere(until, commits))) return fullPass(last);
  if (until.checkpoint === last.checkpoint) return undefined;
  // Each commit by itself: a record may change and change back, and have been read in between.
  return startOf(until, await commitOf(until.checkpoint + 1, commits));
}

/** Returns the progress of a log in a pass, or at its end. */
export const progressIn = (
  { until, viewId, catalogVersion }: Omit<EventProgress, "pass">,
  pass: EventPass | null,
): EventProgress => ({
  until,
  viewId,
  catalogVersion,
  pass: pass === null ? null : JSON.stringify(pass),
});
