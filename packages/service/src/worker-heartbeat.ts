import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "./config.ts";
import type { Registry } from "./data/registry.ts";
import { workerName } from "./feeds/feed-worker.ts";
import { errorFields, type Log } from "./log.ts";
import { release } from "./release.ts";

/** Interval of the heartbeats of a worker, in milliseconds. */
const heartbeatInterval = 20_000;

/** Time without a heartbeat after which a worker is taken to be dead, in milliseconds: three heartbeats, the last of them late. */
export const longestSilence = 3 * heartbeatInterval + 10_000;

/** Kinds of work in the background. */
export type WorkKind = "deliveries" | "publications" | "feeds";

/** Returns the kinds of work that a worker with these settings does. Webhooks are called with the deliveries. */
export const workOf = ({ push, runsFeeds }: Pick<Config, "push" | "runsFeeds">): readonly WorkKind[] => [
  "deliveries",
  ...(push ? (["publications"] as const) : []),
  ...(runsFeeds ? (["feeds"] as const) : []),
];

/**
 * Leaves heartbeats in the registry, by which `cadastre doctor` sees that a worker is alive. One that cannot be written is logged once and
 * does not stop the work. Returns a function that ends them and removes the worker.
 */
export async function startHeartbeat(
  { workers }: Pick<Registry, "workers">,
  config: Pick<Config, "push" | "runsFeeds">,
  log: Pick<Log, "warn">,
): Promise<() => Promise<void>> {
  const worker = {
    id: randomUUID(),
    name: workerName(),
    host: hostname(),
    process: process.pid,
    work: workOf(config),
    release,
  };
  let isFailing = false;
  const beat = () =>
    workers.beat(worker).then(
      () => {
        isFailing = false;
      },
      (error: unknown) => {
        if (!isFailing) log.warn(errorFields(error), "could not write the heartbeat of this worker");
        isFailing = true;
      },
    );
  let beating = beat();
  await beating;
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, heartbeatInterval);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await beating;
    await workers.remove(worker.id).catch(() => {});
  };
}
