import { setTimeout } from "node:timers/promises";
import type { Log } from "../log.ts";

/** Reasons for which the service is not ready. The codes are public and stable. */
export const readinessReasons = [
  /** The service stops. */
  "stopping",
  "database_unreadable",
  "registry_unreadable",
  /** `secrets.json` is not there, or cannot be read. */
  "secrets_missing",
  /** No key verifies entitlements. */
  "trust_set_empty",
  /** Nothing has passed its gates. */
  "no_active_build",
  "parts_not_writable",
] as const;

type ReadinessReason = (typeof readinessReasons)[number];

/** Tells load balancers if the service should be sent new requests. */
export type Readiness = {
  /** Reasons against it; none: the service is ready. */
  readonly reasons: () => Promise<readonly ReadinessReason[]>;
  /** Called with the error of a request: one that says that a database is damaged counts until the service is started again. */
  readonly noteError?: (error: unknown) => void;
};

/** Something without which the service is not ready. */
export type ReadinessCheck = {
  readonly reason: ReadinessReason;
  /** Fails, or gives false, if it is missing. */
  readonly passes: () => Promise<boolean>;
  /** How long a result counts, in milliseconds. By default 1000. */
  readonly lifetime?: number;
};

/** Longest time that a check may take, in milliseconds. */
const timeLimit = 2000;

export type ReadinessOptions = {
  readonly log: Pick<Log, "error" | "info">;
  /** Milliseconds of a clock that nobody sets. By default that of this process. */
  readonly now?: () => number;
};

/** Runs checks when it is asked, each one at most once in its lifetime, however often it is asked. */
export function createReadiness(
  checks: readonly ReadinessCheck[],
  { log, now = () => performance.now() }: ReadinessOptions,
): Readiness & { readonly stop: () => void } {
  const cached = checks.map((check) => cachedCheck(check, now));
  let isStopping = false;
  let isDamaged = false;
  let told = "";

  async function reasons(): Promise<readonly ReadinessReason[]> {
    const passed = await Promise.all(cached.map((check) => check()));
    const failed = new Set(checks.filter((_, i) => passed[i] === false).map(({ reason }) => reason));
    if (isStopping) failed.add("stopping");
    if (isDamaged) failed.add("database_unreadable");
    const found = readinessReasons.filter((reason) => failed.has(reason));
    if (found.join() !== told) {
      told = found.join();
      if (told === "") log.info("the service is ready");
      else log.error({ reasons: found }, "the service is not ready");
    }
    return found;
  }

  return {
    reasons,
    noteError: (error) => {
      isDamaged ||= isDatabaseDamage(error);
    },
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

/** A check whose result counts for a while. One that does not end is not begun a second time. */
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
