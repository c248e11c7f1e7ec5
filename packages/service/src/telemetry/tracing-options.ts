/** The sampler of OpenTelemetry: which traces are recorded. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Where traces are sent, and which. Times are in milliseconds. */
export type TracingOptions = {
  /** Address that accepts spans by OTLP over HTTP, with its path. */
  readonly url: string;
  /** Returns headers of each request, which may be secrets: a function keeps them out of what is printed. */
  readonly headers: () => ReadonlyMap<string, string>;
  readonly compression: "gzip" | "none";
  /** Longest time of an export, with its retries. */
  readonly timeout: number;
  readonly sampler: (typeof samplers)[number];
  /** Share of the traces that the samplers with `traceidratio` choose, from 0 to 1. */
  readonly ratio: number;
  /** True if the `sampled` flag of a client's `traceparent` counts. */
  readonly trustsClients: boolean;
  /** Attributes of the service, beside those of the process. */
  readonly resource: ReadonlyMap<string, string>;
  /** Wait before spans are sent that do not fill a batch. */
  readonly delay: number;
  /** Number of spans that wait to be sent, beyond which further ones are dropped. */
  readonly queue: number;
};
