import { QueryUsage } from "@cadastre/store";
import type { Config } from "../config.ts";
import { errorFields, type Log } from "../log.ts";
import { createRates, type Rates, type Spend } from "./rates.ts";

/** Limits whose use is reported: requests of customers, refused keys of addresses, and scan time of customers. */
const limits = ["requests", "refusals", "scans"] as const;
type SharedLimit = (typeof limits)[number];

type Amounts = readonly (readonly [subject: string, amount: number])[];

/** Use of each limit since the report before: subjects with the milliseconds after which nothing of it is left. */
export type Spent = Readonly<Partial<Record<SharedLimit, Amounts>>>;

/** A report of one process to the others that share its limits. */
export type UsageReport = {
  readonly spent: Spent;
  /** Number of queries that run and wait at this moment, by customer. */
  readonly running: Amounts;
};

/** Reports of the other processes. */
type ReportsElsewhere = {
  /** All that they have spent since the exchange before. */
  readonly spent: readonly Spent[];
  /** The queries of each process that still runs, as it last reported them. */
  readonly running: readonly Amounts[];
};

/** A way by which processes exchange reports. */
export type UsageTransport = {
  readonly name: string;
  /** Milliseconds between two exchanges. */
  readonly interval: number;
  readonly exchange: (own: UsageReport) => Promise<ReportsElsewhere>;
  readonly close: () => Promise<void>;
};

/** Most subjects of a limit in one report. The use by further ones is not reported, so that a flood of addresses takes bounded memory. */
const maxSubjects = 1000;

/** Use since the last report, by limit and subject. */
class SpentSinceReport {
  readonly #amounts = new Map<SharedLimit, Map<string, number>>(limits.map((limit) => [limit, new Map()]));

  readonly add = (limit: SharedLimit, subject: string, milliseconds: number): void => {
    const amounts = this.#amounts.get(limit);
    const known = amounts?.get(subject);
    if (known === undefined && (amounts?.size ?? 0) >= maxSubjects) return;
    amounts?.set(subject, (known ?? 0) + milliseconds);
  };

  take(): Spent {
    const taken: Partial<Record<SharedLimit, Amounts>> = {};
    for (const [limit, amounts] of this.#amounts) {
      if (amounts.size > 0) taken[limit] = [...amounts];
      amounts.clear();
    }
    return taken;
  }
}

/** Limits of this process, to which the use by other processes is applied. */
type LimitsHere = {
  readonly rates: Pick<Rates, "spend">;
  readonly queries: Pick<QueryUsage, "spend" | "running" | "setElsewhere">;
};

/** A transport, and what was spent since it was last used. */
type UsageChannel = { readonly transport: UsageTransport; readonly spent: SpentSinceReport };

/**
 * Exchanges reports over each transport at its interval. No request waits for it. While a transport fails, each side counts for itself.
 * Returns a function that stops it.
 */
function startUsageExchange(
  { rates, queries }: LimitsHere,
  channels: readonly UsageChannel[],
  log: Pick<Log, "warn" | "info">,
): () => Promise<void> {
  const spend: Readonly<Record<SharedLimit, Spend>> = {
    ...rates.spend,
    scans: (customer, milliseconds) => queries.spend(customer, milliseconds),
  };
  const running = new Map<UsageTransport, readonly Amounts[]>();
  const apply = (transport: UsageTransport, elsewhere: ReportsElsewhere) => {
    for (const spent of elsewhere.spent)
      for (const limit of limits)
        for (const [subject, amount] of spent[limit] ?? []) spend[limit](subject, amount);
    running.set(transport, elsewhere.running);
    queries.setElsewhere(sumOf([...running.values()].flat()));
  };
  const stops = channels.map(({ transport, spent }) => {
    let isFailing = false;
    const exchange = async () => {
      try {
        apply(transport, await transport.exchange({ spent: spent.take(), running: [...queries.running()] }));
        if (isFailing)
          log.info({ transport: transport.name }, "limits are shared with other processes again");
        isFailing = false;
      } catch (error) {
        apply(transport, { spent: [], running: [] });
        if (!isFailing)
          log.warn(
            { transport: transport.name, ...errorFields(error) },
            "limits are not shared with other processes: each counts for itself",
          );
        isFailing = true;
      }
    };
    return repeat(exchange, transport.interval);
  });
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all(channels.map(({ transport }) => transport.close().catch(() => {})));
  };
}

/** Limits of customers that all processes share which exchange reports. */
export type SharedLimits = {
  readonly rates: Rates;
  readonly queries: QueryUsage;
  /** Begins to exchange reports. Returns a function that stops it. */
  readonly start: (
    transports: readonly UsageTransport[],
    log: Pick<Log, "warn" | "info">,
  ) => () => Promise<void>;
};

/** @param now monotonic clock, in milliseconds */
export function createSharedLimits(
  config: Pick<Config, "requestsPerSecond" | "refusalsPerSecond">,
  now?: () => number,
): SharedLimits {
  const channels: UsageChannel[] = [];
  const note =
    (limit: SharedLimit): Spend =>
    (subject, milliseconds) => {
      for (const { spent } of channels) spent.add(limit, subject, milliseconds);
    };
  const queries = new QueryUsage({ ...(now && { now }), onScan: note("scans") });
  const rates = createRates(config, now, { requests: note("requests"), refusals: note("refusals") });
  return {
    rates,
    queries,
    start: (transports, log) => {
      for (const transport of transports) channels.push({ transport, spent: new SpentSinceReport() });
      return startUsageExchange({ rates, queries }, channels, log);
    },
  };
}

/** Calls `work` at an interval, but never twice at once. Returns a function that stops it, and waits for the last call. */
function repeat(work: () => Promise<void>, interval: number): () => Promise<void> {
  let last: Promise<void> | undefined;
  const timer = setInterval(() => {
    last ??= work().finally(() => {
      last = undefined;
    });
  }, interval);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await last;
  };
}

function sumOf(all: readonly Amounts[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [subject, amount] of all.flat()) sums.set(subject, (sums.get(subject) ?? 0) + amount);
  return sums;
}
