import { Gauge, type Registry } from "prom-client";

/** State of a feed, as far as metrics show it. Times are in milliseconds since 1970. */
export type FeedState = {
  readonly name: string;
  readonly failures: number;
  readonly modified: number | null;
  readonly lastSuccess: number | null;
};

const ageOf = (time: number | null): number | null =>
  time === null ? null : Math.max(0, Date.now() - time) / 1000;

/** Metrics of feeds: name, help, and the value for a feed; null if it has none. */
const feedMetrics: readonly (readonly [string, string, (feed: FeedState) => number | null])[] = [
  [
    "cadastre_feed_lag_seconds",
    "Time since the newest ModificationTimestamp that a feed has brought",
    ({ modified }) => ageOf(modified),
  ],
  [
    "cadastre_feed_success_age_seconds",
    "Time since a feed last ran without an error",
    ({ lastSuccess }) => ageOf(lastSuccess),
  ],
  ["cadastre_feed_failures", "Failed runs of a feed since its last success", ({ failures }) => failures],
];

/** Adds the metrics of feeds, which are read on each scrape. Of several processes, the greatest value is reported. */
export function addFeedMetrics(registry: Registry, feeds: () => Promise<readonly FeedState[]>): void {
  for (const [name, help, read] of feedMetrics)
    new Gauge({
      name,
      help,
      labelNames: ["feed"],
      aggregator: "max",
      registers: [registry],
      async collect() {
        this.reset();
        for (const feed of await feeds().catch(() => [])) {
          const value = read(feed);
          if (value !== null) this.set({ feed: feed.name }, value);
        }
      },
    });
}
