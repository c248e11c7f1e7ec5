import { setTimeout } from "node:timers/promises";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import type { WrittenMetrics } from "../http/admin.ts";
import { type MetricValues, sumOfCounters, writeSum } from "../http/metrics.ts";

/** Longest time that a scrape waits for the processes, in milliseconds. Of one that is late, the values before are reported. */
const wait = 2000;

type Process = { values: MetricValues | undefined; arrived: () => void };

/** Metrics of several processes, as one text. */
export type MetricsOfProcesses = WrittenMetrics & {
  /** @param ask asks the process for its values, which are passed to `receive` */
  readonly add: (number: number, ask: () => void) => void;
  readonly receive: (number: number, values: MetricValues) => void;
  /** Keeps the counters of a process that has ended. */
  readonly remove: (number: number) => void;
};

/** @param group counts of the processes */
export function metricsOfProcesses(
  group: () => { readonly size: number; readonly replaced: number } | undefined,
): MetricsOfProcesses {
  const processes = new Map<number, Process & { readonly ask: () => void }>();
  let ended: readonly MetricValues[] = [];
  const own = new Registry();
  collectDefaultMetrics({ register: own });
  new Gauge({
    name: "cadastre_processes",
    help: "Processes that run to answer requests",
    registers: [own],
    collect() {
      this.set(group()?.size ?? 0);
    },
  });
  new Counter({
    name: "cadastre_processes_replaced_total",
    help: "Processes that ended and were replaced",
    registers: [own],
    collect() {
      this.reset();
      this.inc(group()?.replaced ?? 0);
    },
  });

  async function refresh(): Promise<void> {
    const arriving = [...processes.values()].map(
      (process) =>
        new Promise<void>((resolve) => {
          process.arrived = resolve;
          process.ask();
        }),
    );
    const over = new AbortController();
    await Promise.race([Promise.all(arriving), setTimeout(wait, undefined, over).catch(() => {})]);
    over.abort();
  }

  return {
    contentType: own.contentType,
    add: (number, ask) => processes.set(number, { ask, values: undefined, arrived: () => {} }),
    receive: (number, values) => {
      const process = processes.get(number);
      if (process === undefined) return;
      process.values = values;
      process.arrived();
    },
    remove: (number) => {
      const process = processes.get(number);
      processes.delete(number);
      process?.arrived();
      if (process?.values !== undefined) ended = [...ended, process.values];
    },
    write: async () => {
      await refresh();
      const live = [...processes.values()]
        .map(({ values }) => values)
        .filter((values) => values !== undefined);
      if (ended.length > 0) ended = [await sumOfCounters(ended)];
      return writeSum([await own.getMetricsAsJSON(), ...live, ...ended]);
    },
  };
}
