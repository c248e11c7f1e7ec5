import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { backoffDelay } from "@cadastre/manifest/retry";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { writeOtlpRequest } from "./otlp-json.ts";
import type { TracingOptions } from "./tracing-options.ts";

const compress = promisify(gzip);

/** Shortest time between two messages of the log about the same trouble, in milliseconds. */
const quiet = 10 * 60_000;

/** Statuses after which a request is repeated. Source: OTLP 1.9, "Retryable Response Codes". */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The collector has refused spans, or did not answer. The code is safe to log: it has nothing of address, headers or answer. */
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
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();
  #isFailing = false;
  #lost = 0;
  #told = Number.NEGATIVE_INFINITY;

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
    this.#stopping.abort();
  }

  /** Ends the requests in progress. */
  abort(): void {
    this.#aborting.abort();
  }

  /** Called by the processor when it has stopped. */
  async shutdown(): Promise<void> {
    await Promise.all(this.#sending);
  }

  /** Sends a batch. Repeats it with exponential backoff until its time is over. @throws {ExportError} */
  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    // A stopping service does not wait for a collector that is known not to answer.
    const isStopping = () => this.#stopping.signal.aborted;
    if (isStopping() && this.#isFailing) throw new ExportError("stopped", true);
    const { timeout, compression } = this.#options;
    const text = writeOtlpRequest(spans);
    const body = compression === "gzip" ? await compress(text) : text;
    const signal = AbortSignal.any([AbortSignal.timeout(timeout), this.#aborting.signal]);
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#post(body, signal);
      } catch (error) {
        if (!(error instanceof ExportError) || error.isFinal || signal.aborted || isStopping()) throw error;
        const delay = backoffDelay({ first: 1000, longest: 5000 }, attempts);
        const over = AbortSignal.any([signal, this.#stopping.signal]);
        await setTimeout(delay, undefined, { signal: over, ref: false }).catch(() => {
          throw error;
        });
      }
    }
  }

  async #post(body: string | Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<void> {
    const { url, headers, compression } = this.#options;
    let answer: Response;
    try {
      answer = await fetch(url, {
        method: "POST",
        headers: {
          ...Object.fromEntries(headers()),
          "content-type": "application/json",
          ...(compression === "gzip" ? { "content-encoding": "gzip" } : {}),
        },
        body,
        signal,
        // The headers are for this address alone.
        redirect: "manual",
      });
    } catch (error) {
      throw new ExportError(signal.aborted ? "timeout" : reasonOf(error), false);
    }
    await answer.body?.cancel();
    if (!answer.ok) throw new ExportError(`status ${answer.status}`, !retryable.has(answer.status));
  }

  #noteSuccess(): void {
    if (!this.#isFailing) return;
    this.#isFailing = false;
    this.#log.info({ lost: this.#lost }, "traces are sent again");
    this.#lost = 0;
    this.#told = Number.NEGATIVE_INFINITY;
  }

  #noteLoss(spans: number, error: Error): void {
    this.#isFailing = true;
    this.#lost += spans;
    const now = performance.now();
    if (now - this.#told < quiet) return;
    this.#told = now;
    const reason = error instanceof ExportError ? error.code : error.name;
    this.#log.warn({ reason, lost: this.#lost }, "could not send traces");
  }
}

/** Returns the code of a network error, such as `ECONNREFUSED`. */
function reasonOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "unreachable";
}
