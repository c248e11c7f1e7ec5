import { setTimeout } from "node:timers/promises";
import type { Log } from "../log.ts";

/** Reasons for which the service is not ready. The codes are public and stable. */
export const readinessReasons = [
  /** The service is shutting down. */
  "stopping",
  "database_unreadable",
  /** A query or the scheduled check has found damage since the start. */
  "database_damaged",
  "registry_unreadable",
  /** `secrets.json` is missing or cannot be read. */
  "secrets_missing",
  /** No key verifies entitlements. */
  "trust_set_empty",
  /** No build of records has passed its gates. Lookup alone, which is published with a system, does not count. */
  "no_active_build",
  /** The folder of parts does not have the marker of this registry: its disk may not be mounted. */
  "parts_foreign",
  "parts_not_writable",
] as const;

type ReadinessReason = (typeof readinessReasons)[number];

/** Readiness of the service to receive requests, for load balancers. */
export type Readiness = {
  /** Returns the reasons for which the service is not ready. Empty if it is ready. */
  readonly reasons: () => Promise<readonly ReadinessReason[]>;
  /** Called with each error of a request. An error about a damaged database has the effect of {@link OwnReadiness.noteDamage}. */
  readonly noteError?: (error: unknown) => void;
};

/** A condition for readiness. */
export type ReadinessCheck = {
  readonly reason: ReadinessReason;
  /** Returns false or throws if the condition is not met. */
  readonly passes: () => Promise<boolean>;
  /** Time that a result is cached, in milliseconds. By default 1000. */
  readonly lifetime?: number;
};

/** Longest time that a check may take, in milliseconds. */
const timeLimit = 2000;

export type ReadinessOptions = {
  readonly log: Pick<Log, "error" | "info">;
  /** Monotonic clock, in milliseconds. By default `performance.now`. */
  readonly now?: () => number;
  /** Called once, at the first sign that a database is damaged. */
  readonly onDamage?: (() => void) | undefined;
};

/** Readiness that is the service's own. */
export type OwnReadiness = Readiness & {
  /** Records that a database is damaged. The service is then not ready until it is restarted. */
  readonly noteDamage: () => void;
  /** Reports from now on that the service is shutting down. */
  readonly stop: () => void;
};

/** Runs checks on demand, and caches each result for its lifetime. */
export function createReadiness(
  checks: readonly ReadinessCheck[],
  { log, now = () => performance.now(), onDamage }: ReadinessOptions,
): OwnReadiness {
  const cached = checks.map((check) => cachedCheck(check, now));
  let isStopping = false;
  let isDamaged = false;
  let told = "";

  async function reasons(): Promise<readonly ReadinessReason[]> {
    const passed = await Promise.all(cached.map((check) => check()));
    const failed = new Set(checks.filter((_, i) => passed[i] === false).map(({ reason }) => reason));
    if (isStopping) failed.add("stopping");
    if (isDamaged) failed.add("database_damaged");
    const found = readinessReasons.filter((reason) => failed.has(reason));
    if (found.join() !== told) {
      told = found.join();
      if (told === "") log.info("the service is ready");
      else log.error({ reasons: found }, "the service is not ready");
    }
    return found;
  }

  const noteDamage = () => {
    if (isDamaged) return;
    isDamaged = true;
    onDamage?.();
  };

  return {
    reasons,
    noteError: (error) => {
      if (isDatabaseDamage(error)) noteDamage();
    },
    noteDamage,
    stop: () => {
      isStopping = true;
    },
  };
}

/** True if SQLite says that a database file is damaged. */
const isDatabaseDamage = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  typeof error.code === "string" &&
  /^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code);

/** Wraps a check in a cache with a time limit. A check that is still running is not started a second time. */
function cachedCheck({ passes, lifetime = 1000 }: ReadinessCheck, now: () => number): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  let result: { readonly passed: Promise<boolean>; readonly until: number } | undefined;
  const run = async () => {
    running ??= (async () => passes())()
      .catch(() => false)
      .finally(() => {
        running = undefined;
      });
    const over = new AbortController();
    const limit = setTimeout(timeLimit, false, { signal: over.signal, ref: false }).catch(() => false);
    try {
      return await Promise.race([running, limit]);
    } finally {
      over.abort();
    }
  };
  return () => {
    if (result === undefined || now() >= result.until) result = { passed: run(), until: now() + lifetime };
    return result.passed;
  };
}
