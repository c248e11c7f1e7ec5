import { randomUUID } from "node:crypto";
import type { UsageReports } from "@cadastre/store/registry";
import type { Spent, UsageReport, UsageTransport } from "./usage-exchange.ts";

/** Milliseconds between two exchanges. The use by a process is known everywhere after two of them. */
const interval = 500;

/** Number of reports that a row repeats, for readers that are late and for writes that failed. */
const repeated = 10;

/** A row's text: the last reports of a process with their numbers, and its queries now. */
type Row = {
  readonly reports: readonly (readonly [number: number, spent: Spent])[];
  readonly running: UsageReport["running"];
};

/**
 * Exchanges reports with the processes of other machines, by a row for each process in the registry.
 *
 * @param machine id that the processes of this machine have in common
 */
export function usageInDatabase(table: UsageReports, machine: string): UsageTransport {
  const own = { process: randomUUID(), machine };
  let reports: Row["reports"] = [];
  let last = 0;
  /** Number of the last report that was read from each process. */
  let read = new Map<string, number>();
  return {
    name: "database",
    interval,
    exchange: async ({ spent, running }) => {
      reports = [...reports, [++last, spent] as const].slice(-repeated);
      const rows = await table.exchange(own, JSON.stringify({ reports, running } satisfies Row));
      const before = read;
      read = new Map();
      const elsewhere: Spent[] = [];
      const queries: UsageReport["running"][] = [];
      for (const { process, report } of rows) {
        const row = JSON.parse(report) as Row;
        const known = before.get(process) ?? 0;
        for (const [number, one] of row.reports) if (number > known) elsewhere.push(one);
        read.set(process, Math.max(known, ...row.reports.map(([number]) => number)));
        queries.push(row.running);
      }
      return { spent: elsewhere, running: queries };
    },
    close: () => table.remove(own),
  };
}
