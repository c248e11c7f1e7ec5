import type { DeliveryFigures, ReachedDelivery } from "@cadastre/delivery";
import { Counter, Gauge, type Registry } from "prom-client";

/** Sources of the metrics of deliveries. */
export type MeasuredDeliveries = {
  readonly figures: () => Promise<DeliveryFigures>;
  /** Returns the free bytes of the disk with the folder of parts; undefined if the parts are in a bucket. */
  readonly freeBytes: () => Promise<number | undefined>;
};

/** Most subscriptions with a value of their own: a label has a bounded number of values. */
export const measuredSubscriptions = 100;

/** Time for which figures are kept, in milliseconds: scrapes that follow each other read no tables. */
const keptFor = 15_000;

type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

const sampleOf = (value: number): readonly Sample[] => [{ labels: {}, value }];

const byLabel = (label: string, counts: Iterable<readonly [string, number]>): readonly Sample[] =>
  [...counts].map(([name, value]) => ({ labels: { [label]: name }, value }));

const ages = (
  { reach }: DeliveryFigures,
  deliveryOf: (one: DeliveryFigures["reach"][number]) => ReachedDelivery | null,
): readonly Sample[] =>
  byLabel(
    "subscription",
    reach.flatMap((one) => {
      const reached = deliveryOf(one);
      return reached === null
        ? []
        : [[one.subscription, Math.max(0, Date.now() - reached.asOf) / 1000] as const];
    }),
  );

/** Metrics of deliveries: name, help, label, and the values. */
const deliveryMetrics: readonly (readonly [
  name: string,
  help: string,
  label: string | null,
  samples: (figures: DeliveryFigures) => readonly Sample[],
])[] = [
  [
    "cadastre_deliveries_open",
    "Deliveries that are not complete, by state",
    "state",
    ({ open }) => byLabel("state", Object.entries(open)),
  ],
  [
    "cadastre_deliveries_failed",
    "Deliveries that have failed, by code",
    "code",
    ({ failed }) => byLabel("code", failed),
  ],
  [
    "cadastre_subscriptions_suspended",
    "Suspended subscriptions, by code",
    "code",
    ({ suspended }) => byLabel("code", suspended),
  ],
  [
    "cadastre_destinations_pointer_denied",
    "Destinations whose buckets deny that the pointers of their subscriptions are replaced",
    null,
    ({ pointersDenied }) => sampleOf(pointersDenied),
  ],
  [
    "cadastre_delivery_rows_per_second",
    "Rows that were written to parts in the last five minutes, per second",
    null,
    ({ rate }) => sampleOf(rate.rows),
  ],
  [
    "cadastre_delivery_bytes_per_second",
    "Bytes of the parts that were finished in the last five minutes, per second",
    null,
    ({ rate }) => sampleOf(rate.bytes),
  ],
  ["cadastre_parts", "Parts of all deliveries", null, ({ stored }) => sampleOf(stored.parts)],
  [
    "cadastre_parts_bytes",
    "Bytes of the parts of all deliveries",
    null,
    ({ stored }) => sampleOf(stored.bytes),
  ],
  [
    "cadastre_subscription_delivered_age_seconds",
    "Age of the records of the last complete delivery of a subscription",
    "subscription",
    (figures) => ages(figures, ({ delivered }) => delivered),
  ],
  [
    "cadastre_subscription_acknowledged_age_seconds",
    "Age of the records of the last acknowledged delivery of a subscription",
    "subscription",
    (figures) => ages(figures, ({ acknowledged }) => acknowledged),
  ],
];

/**
 * Adds the metrics of deliveries, which are read on each scrape. Of several processes, the greatest value is reported. Returns the function
 * that counts the bytes of a part that was sent.
 */
export function addDeliveryMetrics(
  registry: Registry,
  { figures, freeBytes }: MeasuredDeliveries,
): (bytes: number) => void {
  let known: { readonly at: number; readonly figures: Promise<DeliveryFigures | undefined> } | undefined;
  const read = () => {
    if (known === undefined || performance.now() - known.at >= keptFor)
      // A database that cannot be read is told by `cadastre_not_ready`.
      known = { at: performance.now(), figures: figures().catch(() => undefined) };
    return known.figures;
  };
  const gauge = (
    name: string,
    help: string,
    label: string | null,
    samples: () => Promise<readonly Sample[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: label === null ? [] : [label],
      aggregator: "max",
      registers: [registry],
      async collect() {
        this.reset();
        for (const { labels, value } of await samples()) this.set(labels, value);
      },
    });
  for (const [name, help, label, samplesOf] of deliveryMetrics)
    gauge(name, help, label, async () => {
      const found = await read();
      return found === undefined ? [] : samplesOf(found);
    });
  gauge(
    "cadastre_parts_disk_free_bytes",
    "Free bytes of the disk with the folder of parts",
    null,
    async () => {
      const free = await freeBytes().catch(() => undefined);
      return free === undefined ? [] : sampleOf(free);
    },
  );
  const served = new Counter({
    name: "cadastre_delivery_bytes_served_total",
    help: "Bytes of parts and manifests that were sent whole",
    registers: [registry],
  });
  return (bytes) => served.inc(bytes);
}
