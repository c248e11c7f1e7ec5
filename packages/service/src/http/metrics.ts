import type { CostClass, Use } from "@cadastre/store";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { EventLoopMonitor } from "./event-loop.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { type Readiness, readinessReasons } from "./readiness.ts";

/** The measured facts of an answered request. None of them identifies the customer or the data. */
type Observed = {
  readonly method: string;
  /** Path template; undefined for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
};

/** The metrics that the operator's monitoring scrapes. */
export type Metrics = {
  readonly observe: (request: Observed) => void;
  /** Counts a stored part or manifest that was found to be damaged. */
  readonly partDamaged: () => void;
  /** Returns all metrics in Prometheus' text format. */
  readonly write: () => Promise<string>;
  readonly contentType: string;
};

/** Upper bounds in seconds, from a look-up by key to a query that times out. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Methods with a label of their own. All others are counted as `other`, because a client may send any word. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/** Sources of values that are read on each scrape. */
type Measured = {
  readonly store: {
    /** Number of queries that wait for a thread or a connection. */
    readonly waiting: () => number;
    /** Use of readers, by cost class. */
    readonly used: () => Readonly<Record<CostClass, Use>>;
  };
  readonly readiness: Readiness;
  readonly memory: Pick<MemoryBudget, "reserved" | "waiting" | "limit">;
  readonly eventLoop: Pick<EventLoopMonitor, "take">;
};

export function createMetrics({ store, readiness, memory, eventLoop }: Measured): Metrics {
  const registry = new Registry();
  // Includes the delay of the event loop and memory.
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "cadastre_http_request_duration_seconds",
    help: "Time from the first byte of a request to the last of its answer",
    labelNames: ["method", "route", "status"],
    buckets,
    registers: [registry],
  });
  const ofClass = (name: string, help: string, figure: (use: Use) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["class"],
      registers: [registry],
      collect() {
        for (const [cost, use] of Object.entries(store.used())) this.set({ class: cost }, figure(use));
      },
    });
  ofClass("cadastre_queries", "Queries that ended, by cost class", ({ queries }) => queries);
  ofClass(
    "cadastre_query_seconds",
    "Time that readers spent on queries, by cost class",
    ({ seconds }) => seconds,
  );
  for (const [name, help, read] of [
    [
      "cadastre_queries_waiting",
      "Queries that wait for a thread or a connection to read with",
      () => store.waiting(),
    ],
    ["cadastre_answers_bytes", "Bytes that the answers in progress hold", () => memory.reserved],
    ["cadastre_answers_bytes_limit", "Bytes that the answers in progress may hold", () => memory.limit],
    ["cadastre_answers_waiting", "Requests that wait for memory for their answer", () => memory.waiting],
  ] as const) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
  new Gauge({
    name: "cadastre_event_loop_block_seconds",
    help: "Longest time that the main thread held its event loop since the last scrape",
    labelNames: ["time"],
    registers: [registry],
    collect() {
      const { elapsed, cpu } = eventLoop.take();
      this.set({ time: "elapsed" }, elapsed);
      this.set({ time: "cpu" }, cpu);
    },
  });
  const damaged = new Counter({
    name: "cadastre_parts_damaged_total",
    help: "Stored parts and manifests that were found to be damaged or missing",
    registers: [registry],
  });
  new Gauge({
    name: "cadastre_not_ready",
    help: "1 for each reason for which /health/ready answers 503, else 0",
    labelNames: ["reason"],
    registers: [registry],
    async collect() {
      const reasons: readonly string[] = await readiness.reasons();
      for (const reason of readinessReasons) this.set({ reason }, reasons.includes(reason) ? 1 : 0);
    },
  });
  return {
    partDamaged: () => damaged.inc(),
    observe: ({ method, route = "none", status, seconds }) =>
      duration.observe({ method: methods.has(method) ? method : "other", route, status }, seconds),
    write: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
