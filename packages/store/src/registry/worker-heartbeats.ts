import type { Knex } from "knex";
import { databaseClock } from "./database-clock.ts";
import type { Int64Column } from "./int64-column.ts";

/** A process that works in the background, as it describes itself. */
export type WorkerDescription = {
  /** Random id: process ids repeat. */
  readonly id: string;
  /** Name under which it leases work. */
  readonly name: string;
  readonly host: string;
  readonly process: number;
  /** Kinds of work, such as `feeds`. */
  readonly work: readonly string[];
  /** Version of the program. */
  readonly release: string;
};

/** A worker that has left a heartbeat. Times are of the database's clock. */
export type WorkerRecord = WorkerDescription & {
  readonly started: number;
  /** Milliseconds since its last heartbeat. */
  readonly silence: number;
};

/** Heartbeats of workers, one row each. */
export type WorkerHeartbeats = {
  /** Records that a worker is alive. Also removes the rows of workers that have been silent for an hour. */
  readonly beat: (worker: WorkerDescription) => Promise<void>;
  /** Removes the row of a worker that stops. */
  readonly remove: (id: string) => Promise<void>;
  /** Returns the workers that have left a heartbeat within the last hour, by name. */
  readonly list: () => Promise<readonly WorkerRecord[]>;
};

export const workerTable = "cadastre_worker";

/** Time for which the row of a worker that was killed is kept, in milliseconds: `cadastre doctor` tells of it. */
const keptFor = 3_600_000;

export function createWorkerHeartbeats(knex: Knex, engine: keyof typeof databaseClock): WorkerHeartbeats {
  const now = databaseClock[engine];
  return {
    beat: async ({ id, name, host, process, work, release }) => {
      await knex.raw(
        `insert into ${workerTable} (id, name, host, process, work, release, started, seen) values (?, ?, ?, ?, ?, ?, ${now}, ${now})
        on conflict (id) do update set seen = excluded.seen`,
        [id, name, host, process, work.join(), release],
      );
      await knex.raw(`delete from ${workerTable} where seen < ${now} - ?`, [keptFor]);
    },
    remove: async (id) => {
      await knex(workerTable).where({ id }).delete();
    },
    list: async () => {
      const silence = knex.raw(`${now} - seen as "silence"`);
      const rows: readonly WorkerRow[] = await knex(workerTable)
        .select("id", "name", "host", "process", "work", "release", "started", silence)
        .orderBy(["name", "started"]);
      return rows.map(toWorkerRecord);
    },
  };
}

/** Columns of a {@link WorkerRecord}, as a driver returns them. */
export type WorkerRow = Omit<WorkerRecord, "work" | "started" | "silence"> & {
  readonly work: string;
  readonly started: Int64Column;
  readonly silence: Int64Column;
};

/** Returns the statement that selects all workers. */
export const selectWorkers = (now: string): string =>
  `select id, name, host, process, work, release, started, ${now} - seen as "silence" from ${workerTable} order by name, started`;

export const toWorkerRecord = ({ work, started, silence, ...row }: WorkerRow): WorkerRecord => ({
  ...row,
  work: work.split(","),
  started: Number(started),
  silence: Number(silence),
});
