import type { Examples } from "./data/examples.ts";
import type { Metrics } from "./http/metrics.ts";

/** Facts about a started service, for the person who started it. */
export type StartedService = {
  /** Base URL without a trailing slash, as a client on this machine reaches it. */
  readonly baseUrl: string;
  readonly port: number;
  /** Port of the metrics; undefined if none is configured. */
  readonly adminPort: number | undefined;
  /** False while no entity set is active, because nothing was published yet. */
  readonly isServing: boolean;
  /** Example requests that return data; undefined if the data was not prepared here. */
  readonly examples: Examples | undefined;
};

/** A running service. */
export type RunningService = StartedService & {
  /** Undefined if no port is configured for them. */
  readonly metrics: Metrics | undefined;
  /** Records that another process has found a database to be damaged: the service is not ready from then on. */
  readonly noteDamage: () => void;
  /** Reports unready, finishes the requests in progress, and closes the data. */
  readonly stop: () => Promise<void>;
};
