import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ClientError } from "../errors.ts";
import { readBody } from "../http/body.ts";
import { type EntityEventMessage, verifyEntityEvents } from "../webhook/verify-entity-events.ts";
import { verifyWebhook, type WebhookMessage } from "../webhook/verify-webhook.ts";
import { forwardMessage } from "./forward.ts";

/** A verified message, and how it was answered. */
export type ReceivedMessage = {
  readonly message: WebhookMessage | EntityEventMessage;
  /** True if a message with this id was received and answered with 2xx before. */
  readonly isRepeated: boolean;
  /** Status of the answer: that of the address to forward to, or 204. */
  readonly status: number;
};

/** A message, or the reason why a request was refused. */
export type ReceivedRequest = ReceivedMessage | { readonly refused: string; readonly status: number };

export type ReceiverOptions = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Secret of the webhook. Requests wait for it. */
  readonly secret: Promise<string>;
  /** Address that verified messages are sent on to, unchanged. */
  readonly forwardTo?: URL | undefined;
  readonly onRequest: (received: ReceivedRequest) => void;
};

export type WebhookReceiver = {
  /** For example `http://127.0.0.1:8090/`. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** Longest message, in bytes. Those of the service with entity events have at most half of it. */
const maxBody = 524_288;

/** Number of message ids that are remembered, to recognise a message that is sent again. */
const remembered = 1000;

/** Longest time for a request to arrive, in milliseconds: the service gives up after ten seconds. */
const requestTimeout = 10_000;

/** Longest time to wait for open requests at the end, in milliseconds. */
const closeTimeout = 1000;

/** Starts an HTTP server that verifies the messages of a webhook. @throws {ClientError} `port_unavailable` */
export async function startWebhookReceiver(options: ReceiverOptions): Promise<WebhookReceiver> {
  const { host, port, onRequest } = options;
  const known = new Set<string>();
  const server = createServer({ requestTimeout }, (request, response) => {
    receive(request, options, known)
      .then((received) => {
        answer(response, received);
        onRequest(received);
      })
      // A request that is broken off gets no answer.
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new ClientError("port_unavailable", { address: `${host}:${port}`, code: error.code ?? "" })),
    );
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  // All addresses of the machine include this one.
  const address = /^(?:0\.0\.0\.0|::)$/.test(bound.address) ? "127.0.0.1" : bound.address;
  const shown = address.includes(":") ? `[${address}]` : address;
  return {
    url: `http://${shown}:${bound.port}/`,
    close: () =>
      new Promise((resolve) => {
        // Answers that are being sent arrive; what takes longer is broken off.
        const timer = setTimeout(() => server.closeAllConnections(), closeTimeout);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

async function receive(
  request: IncomingMessage,
  { secret, forwardTo }: ReceiverOptions,
  known: Set<string>,
): Promise<ReceivedRequest> {
  if (request.method !== "POST") return { refused: "method_not_allowed", status: 405 };
  const body = await readBody(request, { signal: AbortSignal.timeout(requestTimeout), most: maxBody });
  if (body === undefined) return { refused: "too_large", status: 413 };
  const message = verified(request, body, await secret);
  if (typeof message === "string") return { refused: message, status: 401 };
  const isRepeated = known.has(message.id);
  const status = forwardTo === undefined ? 204 : await forwardMessage(forwardTo, request.headers, body);
  if (status >= 200 && status < 300) remember(known, message.id);
  return { message, isRepeated, status };
}

/** Returns the message, or the code of the reason why the request is none of the webhook's. */
function verified(
  request: IncomingMessage,
  body: Buffer,
  secret: string,
): WebhookMessage | EntityEventMessage | string {
  let reason = "";
  for (const verify of [verifyWebhook, verifyEntityEvents])
    try {
      return verify(request.headers, body, secret);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      reason = error.code;
      // One that is not authentic as the one kind of message is not authentic as the other.
      if (reason !== "webhook_malformed") break;
    }
  return reason;
}

function remember(known: Set<string>, id: string): void {
  known.add(id);
  const [oldest] = known;
  if (known.size > remembered && oldest !== undefined) known.delete(oldest);
}

function answer(response: ServerResponse, received: ReceivedRequest): void {
  const headers = received.status === 405 ? { allow: "POST" } : {};
  // The rest of a body that is too large is not read.
  response.writeHead(received.status, {
    ...headers,
    ...(received.status === 413 ? { connection: "close" } : {}),
  });
  response.end();
}
