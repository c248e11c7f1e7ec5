import { setTimeout as sleep } from "node:timers/promises";
import type { SqliteCheck } from "@cadastre/store/sqlite";
import { DataError } from "../data/data-error.ts";
import type { DataFolder } from "../data/data-folder.ts";
import { errorFields, type Log } from "../log.ts";
import { startDatabaseCheck } from "./check-databases.ts";
import { type Finding, findingCodes } from "./findings.ts";
import { noteWholeStop } from "./whole-stop.ts";

export type ScheduledCheckOptions = {
  /** Hours between two checks; 0 disables them. */
  readonly hours: number;
  /** Heap of the thread, in megabytes. */
  readonly heap: number;
  readonly log: Pick<Log, "info" | "error">;
  /** Called with each fault that is found. */
  readonly onFinding: (finding: Finding) => void;
  /** Longest time that a start waits for the first check, in milliseconds. */
  readonly wait?: number;
  /** Time until the first check of databases that need not be waited for, in milliseconds. The first requests have the processors then. */
  readonly delay?: number;
  /** Time in milliseconds when the databases were made or checked, if they are as they were then: see `takeWholeStop`. */
  readonly lastCheck: number | undefined;
};

export type ScheduledChecks = {
  /**
   * Waits for the first check, for at most `wait` ms, so that nothing is served from a damaged database. A check that takes longer
   * continues while the service answers. Databases that were made or checked less than `hours` ago and not written since are not waited for.
   *
   * @throws {DataError} if the check found a fault
   */
  readonly waitForFirst: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Notes for the next start that the last check found the databases whole, if so. To be called when they have been closed. */
  readonly noteWhole: () => Promise<void>;
};

/**
 * Checks the SQLite databases of a folder now, or after `delay` if they need not be waited for, and at an interval, in a worker thread, which
 * has low priority on Linux. Does nothing if the databases are in PostgreSQL.
 */
export function scheduleChecks(
  folder: DataFolder,
  { hours, heap, log, onFinding, wait = 30_000, delay = 10_000, lastCheck }: ScheduledCheckOptions,
): ScheduledChecks {
  // PostgreSQL checks its own pages.
  if (hours === 0 || folder.postgres !== undefined)
    return { waitForFirst: async () => {}, stop: async () => {}, noteWhole: async () => {} };
  const found: Finding[] = [];
  let checked = lastCheck;
  let running: SqliteCheck | undefined;
  const check = async () => {
    if (running !== undefined) return;
    running = startDatabaseCheck(folder, heap, (finding) => {
      found.push(finding);
      log.error({ ...finding }, "the check of the databases found damage");
      onFinding(finding);
    });
    running.unref();
    try {
      if (await running.ended) {
        checked = Date.now();
        log.info("the databases were checked");
      }
    } catch (error) {
      log.error(errorFields(error), "the databases could not be checked");
    }
    running = undefined;
  };
  const interval = hours * 3_600_000;
  const age = lastCheck === undefined ? undefined : Date.now() - lastCheck;
  const isRecent = age !== undefined && age >= 0 && age < interval;
  const first = isRecent ? undefined : check();
  const later = isRecent ? setTimeout(() => void check(), delay).unref() : undefined;
  const timer = setInterval(() => void check(), interval).unref();
  return {
    waitForFirst: async () => {
      if (first === undefined) return;
      running?.ref();
      await Promise.race([first, sleep(wait, undefined, { ref: false })]);
      running?.unref();
      const [finding] = found;
      if (finding !== undefined) throw damaged(folder, finding, found.length);
    },
    stop: async () => {
      clearTimeout(later);
      clearInterval(timer);
      await running?.stop();
    },
    noteWhole: async () => {
      if (checked !== undefined && found.length === 0) await noteWholeStop(folder, checked);
    },
  };
}

function damaged({ path }: DataFolder, { code, subject, detail }: Finding, count: number): DataError {
  const more = count === 1 ? "" : ` (and ${count - 1} more: see \`cadastre check\`)`;
  const override = "to serve what can be read all the same, set CADASTRE_CHECK_HOURS=0";
  return new DataError(`${path}: ${subject}: ${detail}${more}: ${findingCodes[code]}; ${override}`);
}
