/**
 * Answers OData requests in Express, and in any other framework that passes on the request and response of Node.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { slicesOf } from "../answer/answer.ts";
import { odataService, type ServiceAnswer, type ServiceRequest } from "../handler/odata-service.ts";
import type { ServiceOptions } from "../handler/service-options.ts";
import type { EntitySetDeclaration } from "../model/entity-set.ts";
import { readBodyText } from "../protocol/body-text.ts";
import type { HeaderReader } from "../protocol/version.ts";

/** The request of Node, with the members that Express adds. */
export type NodeRequest = IncomingMessage & {
  /** Path that the handler is mounted at. */
  readonly baseUrl?: string;
  readonly protocol?: string;
  /** The body, if a middleware has read it. */
  readonly body?: unknown;
};

/**
 * Returns a handler for `app.use("/odata", odata({ … }))`.
 *
 * @throws {TypeError} if an option is not what it must be, declarations contradict each other, or the source cannot read them
 */
export function odata<
  const Sets extends readonly EntitySetDeclaration[],
  Request extends NodeRequest = NodeRequest,
>(
  options: ServiceOptions<Request, Sets>,
): (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void {
  const answer = odataService(options);
  return (request, response, next) => {
    answer(serviceRequestOf(request, response), request)
      .then((answered) => send(response, answered))
      .catch(next);
  };
}

function serviceRequestOf(request: NodeRequest, response: ServerResponse): ServiceRequest {
  const { method = "GET", url = "/", baseUrl = "", headers } = request;
  const [path = "", ...rest] = url.split("?");
  const isEncrypted = "encrypted" in request.socket;
  const protocol = request.protocol ?? (isEncrypted ? "https" : "http");
  const header: HeaderReader = (name) => {
    const found = headers[name];
    return Array.isArray(found) ? found.join(", ") : found;
  };
  return {
    method,
    root: `${protocol}://${hostOf(request)}${baseUrl}`,
    ownRoot: baseUrl,
    path: path === "/" ? "" : path,
    query: rest.join("?"),
    header,
    body: (maxBytes) => readBody(request, header, maxBytes),
    clientGone: () => {
      const controller = new AbortController();
      response.once("close", () => {
        if (!response.writableFinished) controller.abort();
      });
      return controller.signal;
    },
  };
}

/** A host name or an IP address, with an optional port. */
const hostPattern = /^(?:[\w.-]{1,255}|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** Returns the host that the client has addressed; the address of the connection if it sent none that is valid. */
function hostOf({ headers: { host = "" }, socket }: NodeRequest): string {
  if (hostPattern.test(host)) return host;
  const { localAddress = "127.0.0.1", localPort = 80 } = socket;
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Returns the body as text, also if a middleware has read it. */
async function readBody(request: NodeRequest, header: HeaderReader, maxBytes: number): Promise<string> {
  const { body } = request;
  if (body !== undefined && request.readableEnded)
    return typeof body === "string" || body instanceof Uint8Array
      ? Buffer.from(body as string).toString()
      : JSON.stringify(body);
  const pieces = () => request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  return readBodyText(pieces, header, maxBytes);
}

async function send(response: ServerResponse, answer: ServiceAnswer): Promise<void> {
  const { status, contentType, headers, body, release } = answer;
  if (release !== undefined) response.once("close", release);
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (contentType !== undefined) response.setHeader("content-type", contentType);
  if (typeof body === "string" || Array.isArray(body))
    response.end(Buffer.concat([...slicesOf(body as string)]));
  else await pipeline(Readable.from(body as AsyncIterable<string>, { objectMode: false }), response);
}
