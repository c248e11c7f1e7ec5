import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import type { Request } from "express";
import { type Log, truncated } from "../log.ts";
import { createStages, untimedStages } from "../telemetry/stages.ts";
import { methodFact, type TraceSpan } from "../telemetry/trace-span.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { arrivalOf } from "./connection.ts";
import type { Metrics } from "./metrics.ts";
import { isCut } from "./open-connections.ts";
import { type RequestContext, setContext } from "./request-context.ts";
import { forwardedFor } from "./request-head.ts";
import type { Step } from "./routes.ts";

const acceptable = /^[\w.-]{1,64}$/;

/** Returns the client's `x-request-id` if it is safe to echo, else a new id. */
export function requestIdOf(given: string | undefined): string {
  return given !== undefined && acceptable.test(given) ? given : randomUUID();
}

/** Observers of requests besides the log. */
type RequestObservers = {
  readonly metrics?: Metrics | undefined;
  readonly tracing?: Tracing | undefined;
  /** True to time the stages of each request. Those of a traced one are timed anyway. */
  readonly timed?: boolean;
};

/**
 * Returns a step that gives each request an id, a context and a trace, sends the id in the answer, and logs and counts the request when its answer has ended.
 */
export function requestIds(log: Log, { metrics, tracing, timed = false }: RequestObservers = {}): Step {
  return (req, res) => {
    const requestId = requestIdOf(req.get("x-request-id"));
    const started = arrivalOf(req);
    const address = clientAddress(req);
    // Load balancers ask for the health every few seconds.
    const isTraced = !req.originalUrl.startsWith("/health/");
    const trace = isTraced ? tracing?.request(req.get("traceparent"), started) : undefined;
    const stages = timed || trace?.span !== undefined ? createStages(trace?.span) : untimedStages;
    const context: RequestContext = { requestId, address, trace, stages };
    setContext(req, context);
    res.setHeader("x-request-id", requestId);
    let isWhole = false;
    // Not `writableFinished`, which is also true if the connection was destroyed while the last bytes waited to be sent.
    res.once("finish", () => {
      isWhole = !req.socket.destroyed;
    });
    res.once("close", () => {
      context.endSending?.();
      const { scope, keyId } = context.caller ?? {};
      const ended = performance.now();
      const elapsed = ended - started;
      const milliseconds = Math.round(elapsed * 10) / 10;
      // Log the path only: the query may contain secrets that were sent by mistake, such as an API key.
      const path = truncated(req.originalUrl.split("?", 1)[0] ?? "");
      const { method } = req;
      const { statusCode: status } = res;
      const facts = {
        requestId,
        method,
        path,
        status,
        milliseconds,
        address,
        customer: scope?.customer,
        keyId,
        traceId: trace?.traceId,
      };
      const end = isWhole ? "answered" : isCut(res) ? "cut" : "aborted";
      if (end === "cut") log.warn(facts, "cut, because the service was stopped");
      else log.info(facts, end);
      const { path: template } = (req.route ?? {}) as { readonly path?: string };
      const route = context.route ?? template;
      metrics?.observe({ method, route, status, seconds: elapsed / 1000, end });
      if (trace?.span !== undefined)
        endSpan(trace.span, { method, route, status, end, error: context.errorCode }, ended);
    });
  };
}

type RequestFacts = {
  readonly method: string;
  readonly route: string | undefined;
  readonly status: number;
  readonly end: string;
  readonly error: string | undefined;
};

/**
 * Ends the span of a request. A refused request is no error of the server, but has the code of its refusal.
 * Source: OpenTelemetry Semantic Conventions, "HTTP server span".
 */
function endSpan(span: TraceSpan, { route, status, end, error, ...facts }: RequestFacts, at: number): void {
  const method = methodFact(facts.method);
  const code = error ?? (status >= 500 ? String(status) : undefined);
  span.rename(`${method === "_OTHER" ? "HTTP" : method} ${route ?? ""}`.trimEnd());
  span.note({ method, route, path: route, scheme: "http", status, end, error: code });
  if (code !== undefined && status >= 500) span.fail(code);
  span.end(at);
}

/**
 * Returns the IP address of the client as reported by trusted proxies: in `X-Forwarded-For`, else in `Forwarded`. Without either, or if a
 * proxy reports no IP address, returns the address of the connection. `X-Forwarded-For` has precedence because most proxies write it and
 * pass on a `Forwarded` header of the client unchanged.
 */
function clientAddress(req: Request): string {
  const { headers, socket } = req;
  const connected = plainAddress(socket.remoteAddress ?? "");
  if (headers["x-forwarded-for"] === undefined && headers.forwarded === undefined) return connected;
  const told = headers["x-forwarded-for"] === undefined ? forwardedFor(req) : req.ip;
  const address = plainAddress(told ?? "");
  return isIP(address) === 0 ? connected : address;
}

/** `::ffff:192.0.2.1` and `192.0.2.1:4711` → `192.0.2.1` */
const plainAddress = (text: string): string =>
  text.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
