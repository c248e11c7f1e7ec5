import { createServer, IncomingMessage, type Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as after } from "node:timers/promises";
import { TurnQueue } from "@cadastre/delivery";
import { maxUrlLength } from "@cadastre/server/parts";
import type { Express } from "express";
import { queueRequests } from "./connection.ts";
import { HeadBudget } from "./head-budget.ts";
import { OpenConnections } from "./open-connections.ts";
import { discardInTurns } from "./request-body.ts";
import { requestIdOf } from "./request-ids.ts";

/** The host and port to listen on. */
export type ListenAddress = { readonly host: string; readonly port: number };

/** Room for the longest URL and as many bytes of headers. */
const maxHeaderSize = 2 * maxUrlLength;
/** In ms. Proxies usually keep idle connections for 60 s; ours live longer, so that a proxy never reuses one that was just closed. */
const keepAliveTimeout = 65_000;
const headersTimeout = 10_000;
const requestTimeout = 30_000;
/** Interval in which both timeouts are checked, in ms: with Node's default of 30 s, slow headers could last four times as long. */
const connectionsCheckingInterval = 2000;
/** Milliseconds of each turn of the event loop in which connections are refused: those that arrived at once also time out at once. */
const refusalShare = 5;
/** Most open connections; further ones are closed at once. */
const maxConnections = 8192;
/** Interval in which a stopping server closes idle connections, in ms. */
const sweepInterval = 25;

/** A listening server and the port that it was assigned. */
export type Listening = {
  readonly port: number;
  /** Starts further requests with another application, and waits until those of the earlier one have ended. */
  readonly replace: (app: Express) => Promise<void>;
  /**
   * Stops in two phases. For `wait` milliseconds requests are served as before, while load balancers notice that the service is not ready;
   * answers close their connections. Then no connection is accepted, and requests in progress are finished for at most `finish`
   * milliseconds. Answers that are not finished then are cut.
   *
   * @param wait by default 0
   */
  readonly stop: (finish: number, wait?: number) => Promise<void>;
};

/** The service cannot listen on the endpoint: the port is in use or needs more rights, or the host is not an address of this machine. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Default bound of the memory of request heads, in bytes. */
const headsByDefault = 64 * 1024 * 1024;

/** Key of the application that answers, in each response. */
const startedBy = Symbol("started by");

type Started = ServerResponse & { [startedBy]?: Express };

/**
 * @param heads see {@link HeadBudget}
 * @throws {ListenError}
 */
export async function listen(
  app: Express,
  endpoint: ListenAddress,
  heads: number = headsByDefault,
): Promise<Listening> {
  const timeouts = { keepAliveTimeout, headersTimeout, requestTimeout, connectionsCheckingInterval };
  const budget = new HeadBudget(heads);
  let serving = app;
  const begin = queueRequests((req, res: Started) => {
    res[startedBy] = serving;
    serving(req, res);
  });
  const server = createServer({ maxHeaderSize, ...messagesOf(app), ...timeouts }, (req, res) => {
    open.add(req.socket, res);
    discardInTurns(req, res);
    if (budget.admit(req, res)) begin(req, res);
  });
  const open = new OpenConnections(server);
  budget.watch(server);
  server.maxConnections = maxConnections;
  const refusals = new TurnQueue(refusalShare);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    void refusals.next().then(() => refuseMalformed(error, socket));
  });
  const { port } = await bindTo(server, endpoint);
  const { request, response } = app;
  return {
    port,
    replace: async (next) => {
      Object.assign(next, { request, response });
      const earlier = serving;
      serving = next;
      while (open.some((res) => (res as Started)[startedBy] === earlier)) await after(sweepInterval);
    },
    stop: (finish, wait = 0) => stop(server, open, { finish, wait }),
  };
}

/**
 * Returns classes of requests and responses whose prototypes are those of the application. Otherwise Express changes the prototype of each
 * object, after which V8 of Node 20 gives each of them hidden classes of its own, that no inline cache knows: requests by key then take 1.6
 * times as long.
 */
function messagesOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<IncomingMessage> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Fails at once if the endpoint cannot be listened on, before data is prepared that could then not be served.
 *
 * @throws {ListenError}
 */
export async function tryEndpoint(endpoint: ListenAddress): Promise<void> {
  const server = createServer();
  await bindTo(server, endpoint);
  await new Promise((resolve) => server.close(resolve));
}

function bindTo(server: Server, { host, port }: ListenAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ListenError(reasonOf(error, { host, port }))),
    );
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException, { host, port }: ListenAddress): string {
  const why = code === undefined ? undefined : listenFaults.get(code);
  return `cannot listen on port ${port} of ${host}: ${why ?? message}`;
}

const listenFaults: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the port is in use; stop the program that uses it, or set PORT to another one"],
  ["EACCES", "the port needs more rights than this user has; set PORT to 1024 or more"],
  ["EADDRNOTAVAIL", "HOST is not an address of this machine"],
  ["ENOTFOUND", "HOST is not an address of this machine"],
]);

async function stop(
  server: Server,
  open: OpenConnections,
  { finish, wait }: { readonly finish: number; readonly wait: number },
): Promise<void> {
  open.closeAfterResponses();
  if (wait > 0) await after(wait);
  const sweep = setInterval(() => server.closeIdleConnections(), sweepInterval);
  const end = setTimeout(() => open.cutAll(), finish);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(sweep);
  clearTimeout(end);
}

/** Answers a malformed HTTP request, which never reaches the application, in the format of all other errors. */
function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason] =
    code === "HPE_HEADER_OVERFLOW"
      ? ["431 Request Header Fields Too Large", "headers_too_large"]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? ["408 Request Timeout", "request_timeout"]
        : ["400 Bad Request", "bad_request"];
  const body = JSON.stringify({ error: reason });
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestIdOf(undefined)}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
