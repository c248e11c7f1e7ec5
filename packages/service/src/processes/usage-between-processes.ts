import type { Spent, UsageReport, UsageTransport } from "../access/usage-exchange.ts";

/** Milliseconds between two exchanges. The use by a process is known to the others after two of them. */
const interval = 100;

/** Exchanges reports with the other processes of the machine, through the primary. */
export type UsageBetweenProcesses = UsageTransport & {
  readonly receive: (from: number, report: UsageReport) => void;
  readonly forget: (from: number) => void;
};

/** @param send sends a report to the primary, which passes it on to all others */
export function usageBetweenProcesses(send: (report: UsageReport) => void): UsageBetweenProcesses {
  let spent: Spent[] = [];
  const running = new Map<number, UsageReport["running"]>();
  let wasIdle = true;
  return {
    name: "processes",
    interval,
    exchange: async (own) => {
      const isIdle = Object.keys(own.spent).length + own.running.length === 0;
      // The report that nothing is used any more is sent once.
      if (!isIdle || !wasIdle) send(own);
      wasIdle = isIdle;
      const taken = spent;
      spent = [];
      return { spent: taken, running: [...running.values()] };
    },
    receive: (from, report) => {
      spent.push(report.spent);
      running.set(from, report.running);
    },
    forget: (from) => void running.delete(from),
    close: async () => {},
  };
}
