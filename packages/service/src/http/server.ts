import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { Express } from "express";
import { HeadBudget } from "./head-budget.ts";
import { requestIdOf } from "./request-ids.ts";
import { limitTurns } from "./turn-limit.ts";
import { maxUrlLength } from "./url-limit.ts";

/** Where to listen. */
export type Endpoint = { readonly host: string; readonly port: number };

/** Room for the longest address and headers of the usual size beside it, in bytes. */
const maxHeaderSize = 2 * maxUrlLength;
/** A proxy keeps its connections for 60 s: ours live longer, so that it is never surprised by their end. */
const keepAliveTimeout = 65_000;
const headersTimeout = 10_000;
const requestTimeout = 30_000;
/** How often connections are checked against both: Node's own interval of 30 s would let slow headers live four times as long. */
const connectionsCheckingInterval = 2000;
/** Connections that are open at the same time; the next one is closed at once. */
const maxConnections = 8192;
/** How often a stopping server closes the connections that have become idle, in milliseconds. */
const sweepInterval = 25;

/** A server that listens, with the port that it got. */
export type Listening = {
  readonly port: number;
  /** Accept no more, finish what is being answered, and after `milliseconds` cut off the rest. */
  readonly stop: (milliseconds: number) => Promise<void>;
};

/** The port is taken, or the host is not one of this machine's. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Bytes of the heads of requests, where nothing is said. */
const headsByDefault = 64 * 1024 * 1024;

/**
 * @param heads see {@link HeadBudget}
 * @throws {ListenError}
 */
export async function listen(
  app: Express,
  endpoint: Endpoint,
  heads: number = headsByDefault,
): Promise<Listening> {
  const timeouts = { keepAliveTimeout, headersTimeout, requestTimeout, connectionsCheckingInterval };
  const budget = new HeadBudget(heads);
  const begin = limitTurns(app);
  const server = createServer({ maxHeaderSize, ...timeouts }, (req, res) => {
    if (budget.admit(req, res)) begin(req, res);
  });
  budget.watch(server);
  server.maxConnections = maxConnections;
  const refuse = inGroups(refuseMalformed);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket));
  const { port } = await bindTo(server, endpoint);
  return { port, stop: (milliseconds) => stop(server, milliseconds) };
}

/**
 * Fails at once if the endpoint cannot be listened on, so that nobody waits for data that cannot be served.
 *
 * @throws {ListenError}
 */
export async function tryEndpoint(endpoint: Endpoint): Promise<void> {
  const server = createServer();
  await bindTo(server, endpoint);
  await new Promise((resolve) => server.close(resolve));
}

function bindTo(server: Server, { host, port }: Endpoint): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ListenError(reasonOf(error, { host, port }))),
    );
    server.listen({ host, port }, () => resolve(server.address() as AddressInfo));
  });
}

function reasonOf({ code, message }: NodeJS.ErrnoException, { host, port }: Endpoint): string {
  const why = code === undefined ? undefined : listenFaults.get(code);
  return `cannot listen on port ${port} of ${host}: ${why ?? message}`;
}

const listenFaults: ReadonlyMap<string, string> = new Map([
  ["EADDRINUSE", "the port is in use; stop the program that uses it, or set PORT to another one"],
  ["EACCES", "the port needs more rights than this user has; set PORT to 1024 or more"],
  ["EADDRNOTAVAIL", "HOST is not an address of this machine"],
  ["ENOTFOUND", "HOST is not an address of this machine"],
]);

async function stop(server: Server, milliseconds: number): Promise<void> {
  const sweep = setInterval(() => server.closeIdleConnections(), sweepInterval);
  const end = setTimeout(() => server.closeAllConnections(), milliseconds);
  await new Promise((resolve) => server.close(resolve));
  clearInterval(sweep);
  clearTimeout(end);
}

/** Connections that are refused in one turn of the event loop. */
const groupSize = 50;

/** Calls `refuse` for so many connections a turn: those that came at the same time are also out of time at the same time. */
function inGroups(refuse: typeof refuseMalformed): typeof refuseMalformed {
  const waiting: Parameters<typeof refuse>[] = [];
  const refuseGroup = () => {
    for (const refused of waiting.splice(0, groupSize)) refuse(...refused);
    if (waiting.length > 0) setImmediate(refuseGroup);
  };
  return (...refused) => {
    if (waiting.push(refused) === 1) setImmediate(refuseGroup);
  };
}

/** What is not HTTP never becomes a request: it is answered here, in the form of every other error. */
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
