import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { backoffDelay } from "@cadastre/manifest/retry";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { writeOtlpRequest } from "./otlp-json.ts";
import type { TracingOptions } from "./tracing-options.ts";

const compress = promisify(gzip);

/** Shortest time between two messages of the log about the same trouble, in milliseconds. */
const logInterval = 10 * 60_000;

type Body = string | Uint8Array<ArrayBuffer>;

/** Statuses after which a request is repeated. Source: OTLP 1.9, "Retryable Response Codes". */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The collector has refused spans, or did not answer. The code is safe to log: it contains no address, header or answer. */
class ExportError extends Error {
  override readonly name = "ExportError";
  readonly code: string;
  readonly isFinal: boolean;

  constructor(code: string, isFinal: boolean) {
    super(code);
    this.code = code;
    this.isFinal = isFinal;
  }
}

/**
 * Sends spans by OTLP over HTTP, as JSON. Unlike OpenTelemetry's own exporter it leaves no timer behind that would keep a stopping process
 * alive, and says when spans are lost.
 */
export class OtlpExporter implements SpanExporter {
  readonly #options: TracingOptions;
  readonly #log: Log;
  readonly #sending = new Set<Promise<void>>();
  /** Ends each batch that is being sent. `AbortSignal.any` with a signal that lives as long as the process would keep memory for each batch. */
  readonly #batches = new Set<AbortController>();
  #isStopping = false;
  /** True if the last request was not answered, or refused. */
  #isFailing = false;
  /** True if a loss was logged, and not yet that it is over. */
  #isTold = false;
  #lost = 0;
  #lastWarning = Number.NEGATIVE_INFINITY;

  constructor(options: TracingOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: Parameters<SpanExporter["export"]>[1]): void {
    const sending = this.#send(spans).then(
      () => {
        this.#noteSuccess();
        done({ code: 0 });
      },
      (error: Error) => {
        this.#noteLoss(spans.length, error);
        done({ code: 1, error });
      },
    );
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  /** Repeats no request any more. Called before the processor stops, which sends what is left. */
  prepareStop(): void {
    this.#isStopping = true;
    if (this.#isFailing) this.abort();
  }

  /** Ends the requests in progress. */
  abort(): void {
    for (const batch of this.#batches) batch.abort();
  }

  /** Called by the processor when it has stopped. */
  async shutdown(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Sends a batch. Repeats it with exponential backoff until its time is over. @throws {ExportError} */
  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    // A stopping service does not wait for a collector that is known not to answer.
    if (this.#isStopping && this.#isFailing) throw new ExportError("stopped", true);
    const { timeout, compression } = this.#options;
    const text = writeOtlpRequest(spans);
    const body = compression === "gzip" ? await compress(text) : text;
    const batch = new AbortController();
    const timer = setTimeout(() => batch.abort(), timeout).unref();
    this.#batches.add(batch);
    try {
      await this.#post(body, batch.signal);
    } finally {
      clearTimeout(timer);
      this.#batches.delete(batch);
    }
  }

  async #post(body: Body, signal: AbortSignal): Promise<void> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#request(body, signal);
      } catch (error) {
        this.#isFailing = true;
        if (!(error instanceof ExportError) || error.isFinal || signal.aborted || this.#isStopping)
          throw error;
        const delay = backoffDelay({ first: 1000, longest: 5000 }, attempts);
        await wait(delay, undefined, { signal, ref: false }).catch(() => {
          throw error;
        });
      }
    }
  }

  async #request(body: Body, signal: AbortSignal): Promise<void> {
    const { url, compression } = this.#options;
    const headers = new Headers([...this.#options.headers()]);
    headers.set("content-type", "application/json");
    if (compression === "gzip") headers.set("content-encoding", "gzip");
    let answer: Response;
    try {
      answer = await fetch(url, {
        method: "POST",
        headers,
        body,
        signal,
        // The headers are for this address alone.
        redirect: "manual",
      });
    } catch (error) {
      const ended = this.#isStopping ? "stopped" : "timeout";
      throw new ExportError(signal.aborted ? ended : reasonOf(error), false);
    }
    await answer.body?.cancel();
    if (!answer.ok) throw new ExportError(`status ${answer.status}`, !retryable.has(answer.status));
  }

  #noteSuccess(): void {
    this.#isFailing = false;
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#log.info({ lost: this.#lost }, "traces are sent again");
    this.#lost = 0;
  }

  #noteLoss(spans: number, error: Error): void {
    this.#isFailing = true;
    this.#lost += spans;
    const now = performance.now();
    if (now - this.#lastWarning < logInterval) return;
    this.#lastWarning = now;
    this.#isTold = true;
    const reason = error instanceof ExportError ? error.code : error.name;
    this.#log.warn({ reason, lost: this.#lost }, "could not send traces");
  }
}

/** Returns the code of a network error, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "unreachable";
}
