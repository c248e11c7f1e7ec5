import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { FeedAuthorization } from "../../src/replicate/authorization.ts";

/** Handler of the requests to a feed. `turn` is the number of earlier requests to this feed. */
export type FeedAnswer = (request: IncomingMessage, response: ServerResponse, turn: number) => void;

export type FeedServer = {
  readonly origin: string;
  /** All request targets, in order of arrival. */
  readonly asked: readonly string[];
  readonly stop: () => Promise<void>;
};

/** Starts a server with a handler for each feed, selected by the first segment of the path. */
export async function startFeeds(answers: Readonly<Record<string, FeedAnswer>>): Promise<FeedServer> {
  const asked: string[] = [];
  const turns = new Map<string, number>();
  const server = createServer((request, response) => {
    const target = request.url ?? "";
    const name = target.split("/")[1] ?? "";
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    asked.push(target);
    const answer = answers[name];
    if (answer === undefined) response.writeHead(404).end();
    else answer(request, response, turn);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends a JSON response. */
/** Authorization by a token that the test has. */
export const bearer = (token: string): FeedAuthorization => ({
  headers: async () => ({ authorization: `Bearer ${token}` }),
  renew: () => false,
});

export function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader("content-type", "application/json;odata.metadata=minimal");
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
