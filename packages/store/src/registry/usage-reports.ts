import type { Knex } from "knex";
import { databaseClock } from "./database-clock.ts";

/** A process that reports what customers use of their limits. */
type ReportingProcess = {
  /** Random id of the process. */
  readonly process: string;
  /** Id of its machine. Processes of one machine do not read each other's reports here. */
  readonly machine: string;
};

/** Reports of the processes that serve one database, one row each. */
export type UsageReports = {
  /** Replaces the report of a process, and returns those of running processes on other machines. */
  readonly exchange: (
    own: ReportingProcess,
    report: string,
  ) => Promise<readonly { readonly process: string; readonly report: string }[]>;
  /** Removes the report of a process that stops. */
  readonly remove: (own: ReportingProcess) => Promise<void>;
};

/** Milliseconds after which a process without a new report is taken to have ended. */
const lifetime = 5000;

const now = databaseClock.postgres;

/** Returns the reports in PostgreSQL. A SQLite registry has none: its processes are on one machine, and need no database for them. */
export const createUsageReports = (knex: Knex): UsageReports => ({
  exchange: async ({ process, machine }, report) => {
    await knex.raw(
      `insert into cadastre_usage (process, machine, report, seen) values (?, ?, ?, ${now})
      on conflict (process) do update set report = excluded.report, seen = excluded.seen`,
      [process, machine, report],
    );
    await knex.raw(`delete from cadastre_usage where seen < ${now} - ?`, [lifetime]);
    return knex<ReportingProcess & { readonly report: string }>("cadastre_usage")
      .whereNot({ machine })
      .select("process", "report");
  },
  remove: async ({ process }) => {
    await knex("cadastre_usage").where({ process }).delete();
  },
});
