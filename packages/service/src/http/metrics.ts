import type { Backlog } from "@cadastre/delivery";
import type { CostClass, ReplicaStatus, Use } from "@cadastre/store";
import {
  type Aggregator,
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from "prom-client";
import { addDeliveryMetrics, type MeasuredDeliveries } from "./delivery-metrics.ts";
import type { EventLoopMonitor } from "./event-loop.ts";
import { addFeedMetrics, type FeedState } from "./feed-metrics.ts";
import type { MemoryBudget } from "./memory-budget.ts";
import { type Readiness, readinessReasons } from "./readiness.ts";

/** End of a response: complete, left by the client, or cut by the stopping service. */
type ResponseEnd = "answered" | "aborted" | "cut";

/** The measured facts of an answered request. None of them identifies the customer or the data. */
type Observed = {
  readonly method: string;
  /** Path template; undefined for an unknown path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
  readonly end: ResponseEnd;
};

/** The metrics that the operator's monitoring scrapes. */
export type Metrics = {
  readonly observe: (request: Observed) => void;
  /** Counts a stored part or manifest that was found to be damaged. */
  readonly partDamaged: () => void;
  /** Counts the bytes of a part or manifest that was sent whole. */
  readonly partServed: (bytes: number) => void;
  /** Returns all metrics in Prometheus' text format. */
  readonly write: () => Promise<string>;
  /** Returns all metrics as values, to be sent to another process. */
  readonly values: () => Promise<MetricValues>;
  readonly contentType: string;
};

/** Metrics of one process. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/**
 * Returns the metrics of several processes as one text: each is summed, unless its `aggregator` says otherwise.
 *
 * @param all not empty
 */
export const writeSum = (all: readonly MetricValues[]): Promise<string> =>
  AggregatorRegistry.aggregate(all.map((values) => [...values])).metrics();

/** Returns the sum of values that only grow. Those of an ended process are kept, because a sum that falls looks like a new start. */
export async function sumOfCounters(all: readonly MetricValues[]): Promise<MetricValues> {
  const growing = all.map((values) => values.filter(({ type }) => isGrowing.has(String(type))));
  return AggregatorRegistry.aggregate(growing).getMetricsAsJSON();
}

const isGrowing: ReadonlySet<string> = new Set(["counter", "histogram"]);

/** Upper bounds in seconds, from a look-up by key to a query that times out. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Of several processes, the greatest value is reported. */
const greatest: Aggregator = "max";

/** Methods with a label of their own. All others are counted as `other`, because a client may send any word. */
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/** Sources of values that are read on each scrape. */
type Measured = {
  readonly store: {
    /** Number of queries that wait for a thread or a connection. */
    readonly waiting: () => number;
    /** Use of readers, by cost class. */
    readonly used: () => Readonly<Record<CostClass, Use>>;
    /** Standbys that are read from. */
    readonly replicas: () => readonly ReplicaStatus[];
  };
  readonly readiness: Readiness;
  /** Counts the work of the registry that waits for a worker. */
  readonly backlog: () => Promise<Backlog>;
  /** Returns the time of the latest publication in milliseconds since 1970; undefined if there was none. */
  readonly published: () => Promise<number | undefined>;
  readonly deliveries: MeasuredDeliveries;
  /** Reads the feeds, for their lag and failures. */
  readonly feeds: () => Promise<readonly FeedState[]>;
  readonly memory: Pick<MemoryBudget, "reserved" | "waiting" | "limit">;
  readonly eventLoop: Pick<EventLoopMonitor, "take">;
};

export function createMetrics({
  store,
  readiness,
  memory,
  eventLoop,
  backlog,
  published,
  deliveries,
  feeds,
}: Measured): Metrics {
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
  const unfinished = new Counter({
    name: "cadastre_http_unfinished_total",
    help: "Answers that were not sent whole",
    labelNames: ["end"],
    registers: [registry],
  });
  for (const end of ["aborted", "cut"] as const satisfies readonly ResponseEnd[]) unfinished.inc({ end }, 0);
  const ofClass = (name: string, help: string, figure: (use: Use) => number) =>
    new Counter({
      name,
      help,
      labelNames: ["class"],
      registers: [registry],
      collect() {
        this.reset();
        for (const [cost, use] of Object.entries(store.used())) this.inc({ class: cost }, figure(use));
      },
    });
  ofClass("cadastre_queries", "Queries that ended, by cost class", ({ queries }) => queries);
  ofClass(
    "cadastre_query_seconds",
    "Time that readers spent on queries, by cost class",
    ({ seconds }) => seconds,
  );
  new Gauge({
    name: "cadastre_queries_running",
    help: "Queries that run, by cost class",
    labelNames: ["class"],
    registers: [registry],
    collect() {
      for (const [cost, { running }] of Object.entries(store.used())) this.set({ class: cost }, running);
    },
  });
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
  const ageOf = (time: number | undefined) =>
    time === undefined ? 0 : Math.max(0, Date.now() - time) / 1000;
  for (const [name, help, read] of [
    [
      "cadastre_deliveries_waiting",
      "Deliveries that wait to be built or published",
      async () => (await backlog()).deliveries,
    ],
    [
      "cadastre_delivery_oldest_wait_seconds",
      "Time since the oldest of the waiting deliveries was asked for; 0 if none waits",
      async () => ageOf((await backlog()).oldest),
    ],
    [
      "cadastre_webhook_messages_waiting",
      "Messages to webhooks that have not arrived",
      async () => (await backlog()).messages,
    ],
    [
      "cadastre_build_age_seconds",
      "Time since the latest publication; 0 if there was none",
      async () => ageOf(await published()),
    ],
  ] as const) {
    new Gauge({
      name,
      help,
      // Each process counts what is the same for all.
      aggregator: greatest,
      registers: [registry],
      async collect() {
        this.reset();
        // A database that cannot be read is told by `cadastre_not_ready`; the other metrics are needed then most.
        const figure = await read().catch(() => Number.NaN);
        this.set(figure);
      },
    });
  }
  addFeedMetrics(registry, feeds);
  const partServed = addDeliveryMetrics(registry, deliveries);
  new Gauge({
    name: "cadastre_event_loop_block_seconds",
    help: "Longest time that the main thread held its event loop since the last scrape",
    labelNames: ["time"],
    aggregator: greatest,
    registers: [registry],
    collect() {
      const { elapsed, cpu } = eventLoop.take();
      this.set({ time: "elapsed" }, elapsed);
      this.set({ time: "cpu" }, cpu);
    },
  });
  const ofReplicas = (name: string, help: string, figure: (status: ReplicaStatus) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ["replica"],
      aggregator: greatest,
      registers: [registry],
      collect() {
        this.reset();
        for (const status of store.replicas()) {
          const value = figure(status);
          if (value !== undefined) this.set({ replica: status.name }, value);
        }
      },
    });
  ofReplicas("cadastre_replica_used", "1 if a standby is read from, else 0", ({ state }) =>
    state === "used" ? 1 : 0,
  );
  ofReplicas(
    "cadastre_replica_lag_commits",
    "Commits that a standby was last seen behind the primary",
    ({ lag }) => lag,
  );
  const damaged = new Counter({
    name: "cadastre_parts_damaged_total",
    help: "Stored parts and manifests that were found to be damaged or missing",
    registers: [registry],
  });
  new Gauge({
    name: "cadastre_not_ready",
    help: "1 for each reason for which /health/ready answers 503, else 0",
    labelNames: ["reason"],
    aggregator: greatest,
    registers: [registry],
    async collect() {
      const reasons: readonly string[] = await readiness.reasons();
      for (const reason of readinessReasons) this.set({ reason }, reasons.includes(reason) ? 1 : 0);
    },
  });
  return {
    partDamaged: () => damaged.inc(),
    partServed,
    observe: ({ method, route = "none", status, seconds, end }) => {
      duration.observe({ method: methods.has(method) ? method : "other", route, status }, seconds);
      if (end !== "answered") unfinished.inc({ end });
    },
    write: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}
