import { exceedsLimits, manifestLimits } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { anySignal } from "./any-signal.ts";
import { readBody } from "./body.ts";
import type { Ask, Connection } from "./connection.ts";
import { entitlementFault } from "./entitlement.ts";
import { pauseFor } from "./pause.ts";
import { refusalOf } from "./refusal.ts";
import { backoff, maxRetryAfter, type RetryPolicy } from "./retry-policy.ts";
import { asTransientError, DamagedAnswer, mostDamaged, TransientError } from "./transient-error.ts";

/** Dependencies of a retried operation. */
export type RetryContext = Pick<Connection, "retryPolicy" | "signal" | "onRetry">;

/** Calls `attempt` until it succeeds, retrying transient errors with backoff. */
export async function withRetry<T>(
  { retryPolicy, signal, onRetry }: RetryContext,
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const failed = { passing: 0, damaged: 0 };
  for (;;) {
    try {
      return await attempt(signal);
    } catch (error) {
      if (signal?.aborted) throw new ClientError("interrupted");
      if (!(error instanceof TransientError)) throw error;
      failed[error instanceof DamagedAnswer ? "damaged" : "passing"]++;
      if (error instanceof DamagedAnswer && failed.damaged >= mostDamaged) throw error.finalError;
      const pause = pauseAfter(error, failed.passing, retryPolicy);
      onRetry(error.message, pause);
      await pauseFor(pause, signal);
    }
  }
}

/** Returns the pause before the next attempt, in milliseconds. @throws {ClientError} if there is to be no other attempt */
function pauseAfter(
  { message, wait = 0, finalError }: TransientError,
  tries: number,
  retryPolicy: RetryPolicy,
): number {
  if (wait > maxRetryAfter)
    throw new ClientError("wait_too_long", { minutes: String(Math.ceil(wait / 60_000)) });
  if (tries >= retryPolicy.tries)
    throw finalError ?? new ClientError("server_busy", { tries: String(tries), reason: message });
  // Jitter on top of what the server asked for, because it has told others the same.
  return wait + backoff(Math.max(1, tries), retryPolicy, Math.random());
}

/** An inactivity timeout: `signal` aborts if `heard` is not called for too long. */
export type InactivityTimeout = {
  readonly signal: AbortSignal;
  readonly heard: () => void;
  readonly end: () => void;
};

/** Starts an inactivity timeout. Its signal aborts after `timeout` milliseconds without a call of `heard`, or with `signal`. */
export function silence(signal: AbortSignal | undefined, timeout: number): InactivityTimeout {
  const controller = new AbortController();
  const timer = globalThis.setTimeout(() => controller.abort(), timeout);
  return {
    signal: anySignal(signal, controller.signal),
    heard: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

/** Statuses of answers that have what was asked for. */
const successes: ReadonlySet<number> = new Set([200, 201, 202]);

/** Sends a request once. @throws the error for an answer that is not a success */
export async function sendOnce(connection: Connection, ask: Ask, signal: AbortSignal): Promise<Response> {
  const response = await connection.send(ask, signal).catch((error: unknown) => {
    throw asTransientError(error);
  });
  const isRange = response.status === 206 && ask.range !== undefined;
  if (isRange || successes.has(response.status)) return response;
  const refusal = await refusalOf(response, signal);
  if (!(refusal instanceof ClientError)) throw refusal;
  if (refusal.code === "unauthorized") throw new ClientError("unauthorized", { place: connection.keyPlace });
  if (refusal.code === "entitlement_changed") throw await entitlementFault(connection, refusal, signal);
  throw refusal;
}

/** Returns the JSON of an answer, with retries. `request` names the request in errors. */
export const askJson = (connection: Connection, ask: Ask, request: string): Promise<unknown> =>
  withRetry(connection, async (signal) => {
    const quiet = silence(signal, connection.retryPolicy.timeout);
    try {
      const response = await sendOnce(connection, ask, quiet.signal);
      const bytes = await readAnswer(response.body, request, quiet);
      // Limits of a manifest, since the largest answer holds one.
      if (exceedsLimits(bytes)) throw new ClientError("answer_too_long", { request });
      return parseJson(bytes.toString("utf8"), request);
    } finally {
      quiet.end();
    }
  });

function parseJson(text: string, request: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ClientError("answer_malformed", { request });
  }
}

/** Reads the bytes of an answer. `request` names the request in errors. @throws {ClientError} `answer_too_long` */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | null,
  request: string,
  { signal, heard }: InactivityTimeout,
): Promise<Buffer> {
  const bytes = await readBody(body, { signal, most: manifestLimits.bytes, heard }).catch(
    (error: unknown) => {
      throw asTransientError(error);
    },
  );
  if (bytes === undefined) throw new ClientError("answer_too_long", { request });
  return bytes;
}
