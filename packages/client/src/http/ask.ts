import { ClientError, type ClientErrorCode } from "../errors.ts";
import { leaveBody, readBody } from "./body.ts";
import type { Ask, Connection } from "./connection.ts";
import { backoff, longestWait, type Patience, retryAfter } from "./patience.ts";
import { pauseFor } from "./pause.ts";

/** What may have passed when it is asked for again. */
export class Passing extends Error {
  override readonly name = "Passing";
  /** Pause that the server asks for, in milliseconds. */
  readonly wait: number | undefined;
  /** What it is if it does not pass. */
  readonly otherwise: ClientError | undefined;

  constructor(
    reason: string,
    { wait, otherwise }: { wait?: number | undefined; otherwise?: ClientError } = {},
  ) {
    super(reason);
    this.wait = wait;
    this.otherwise = otherwise;
  }
}

const passing: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** The same request is being answered already. */
const passingCode = "idempotency_in_progress";

const codeOfStatus: Readonly<Record<number, ClientErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  410: "delivery_expired",
};

/** What an error code of the contract means, whatever its status. */
const codeOfError: Readonly<Record<string, ClientErrorCode>> = {
  delivery_not_complete: "delivery_not_ready",
  entitlement_changed: "entitlement_changed",
  manifest_conflict: "acknowledge_conflict",
  sequence_conflict: "acknowledge_conflict",
};

/** Longest answer of JSON, in bytes: a manifest of a hundred thousand parts. */
const maxAnswer = 64 * 1024 * 1024;

/** Longest answer without success that is read, in bytes. */
const maxRefusal = 65_536;

/** What it takes to do something again. */
export type Means = Pick<Connection, "patience" | "signal" | "onRetry">;

/** Do something that may have to be done again. */
export async function persist<T>(
  { patience, signal, onRetry }: Means,
  attempt: (signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(signal);
    } catch (error) {
      if (signal?.aborted) throw new ClientError("interrupted");
      if (!(error instanceof Passing)) throw error;
      const pause = pauseAfter(error, tries, patience);
      onRetry(error.message, pause);
      await pauseFor(pause, signal);
    }
  }
}

/** How long to wait for the next try, in milliseconds. @throws {ClientError} where there is none. */
function pauseAfter({ message, wait = 0, otherwise }: Passing, tries: number, patience: Patience): number {
  if (wait > longestWait)
    throw new ClientError("wait_too_long", { minutes: String(Math.ceil(wait / 60_000)) });
  if (tries >= patience.tries)
    throw otherwise ?? new ClientError("server_busy", { tries: String(tries), reason: message });
  // Jitter beside what was asked for: others have been told the same.
  return wait + backoff(tries, patience, Math.random());
}

/** A signal that ends when nothing was heard for too long. */
export type Silence = { readonly signal: AbortSignal; readonly heard: () => void; readonly end: () => void };

/** Ends with `signal`, or after so many milliseconds without a sound. */
export function silence(signal: AbortSignal | undefined, timeout: number): Silence {
  const controller = new AbortController();
  const timer = globalThis.setTimeout(() => controller.abort(), timeout);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    heard: () => void timer.refresh(),
    end: () => clearTimeout(timer),
  };
}

/** Send a request once, for a successful answer. */
export async function sendOnce(connection: Connection, ask: Ask, signal: AbortSignal): Promise<Response> {
  const response = await connection.send(ask, signal).catch((error: unknown) => {
    throw passingOf(error);
  });
  if (response.status === 200 || response.status === 201 || response.status === 202) return response;
  throw await refusalOf(response, signal);
}

/** The JSON of an answer, asked for again if need be. `request` names it in errors. */
export const askJson = (connection: Connection, ask: Ask, request: string): Promise<unknown> =>
  persist(connection, async (signal) => {
    const quiet = silence(signal, connection.patience.timeout);
    try {
      const response = await sendOnce(connection, ask, quiet.signal);
      const bytes = await readAnswer(response.body, request, quiet);
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

/** The bytes of an answer, which is not too long. `request` names it in errors. */
export async function readAnswer(
  body: AsyncIterable<Uint8Array> | null,
  request: string,
  { signal, heard }: Silence,
): Promise<Buffer> {
  const bytes = await readBody(body, { signal, most: maxAnswer, heard }).catch((error: unknown) => {
    throw passingOf(error);
  });
  if (bytes === undefined) throw new ClientError("answer_too_long", { request });
  return bytes;
}

/** What an answer without success means. */
async function refusalOf({ status, headers, body }: Response, signal: AbortSignal): Promise<Error> {
  if (status >= 300 && status < 400) {
    leaveBody(body);
    return new ClientError("redirect_refused");
  }
  const told = errorCodeOf(await readBody(body, { signal, most: maxRefusal }).catch(() => undefined));
  if (passing.has(status) || told.code === passingCode) {
    const wait = retryAfter(headers.get("retry-after"), Date.now());
    return new Passing(`it gave ${status}`, { wait });
  }
  const cause = codeOfError[told.code ?? ""] ?? codeOfStatus[status] ?? "request_refused";
  return new ClientError(cause, { status: String(status), ...told });
}

/** The error code of a body, as this service and OData write it, where it is fit to be shown. */
function errorCodeOf(bytes: Buffer | undefined): { readonly code?: string } {
  try {
    const { error } = JSON.parse(bytes?.toString("utf8") ?? "") as { error?: unknown };
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : error;
    return typeof code === "string" && /^\w{1,64}$/.test(code) ? { code } : {};
  } catch {
    return {};
  }
}

/** An answer that does not come, or not whole. */
export function passingOf(error: unknown): Error {
  if (error instanceof ClientError || error instanceof Passing) return error;
  if (error instanceof Error && error.name === "AbortError") return new Passing("it fell silent");
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new Passing(`it could not be read${code}`);
}
