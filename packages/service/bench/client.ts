import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Running } from "./processes.ts";

export type Reply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Codes of errors of a connection that the server has closed. */
const closedCodes: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE"]);

/** HTTP client with keep-alive connections. */
export type Client = {
  /** @throws {Error} if the connection is closed before the end of the answer, or `signal` aborts it */
  readonly get: (path: string, signal?: AbortSignal) => Promise<Reply>;
  readonly close: () => void;
};

/**
 * @param connections maximum number of open connections
 * @param further headers of all requests besides the key
 * @param onReset `retry` for a server that closes idle connections after some seconds, which may be just when one is used again
 */
export function connect(
  { port }: Pick<Running, "port">,
  connections: number,
  apiKey = "",
  further: Readonly<Record<string, string>> = {},
  onReset: "fail" | "retry" = "fail",
): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { ...further, ...(apiKey === "" ? {} : { "x-api-key": apiKey }) };
  const get: Client["get"] = (path, signal) =>
    new Promise((resolve, reject) => {
      const options = { port, host: "127.0.0.1", path, agent, headers, ...(signal && { signal }) };
      const sent = request(options, (response) => {
        collect(response).then(resolve, reject);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        if (onReset === "retry" && sent.reusedSocket && closedCodes.has(error.code))
          get(path, signal).then(resolve, reject);
        else reject(error);
      });
      sent.end();
    });
  return {
    get,
    close: () => agent.destroy(),
  };
}

async function collect(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Returns the body of an answer. @throws {Error} if its status is not 200 */
export async function bodyOf(client: Client, path: string): Promise<Buffer> {
  const { status, body } = await client.get(path);
  if (status !== 200) throw new Error(`${path} gave ${status}: ${body.toString("utf8", 0, 300)}`);
  return body;
}

const mark = '"@odata.nextLink":"';

/** Returns the path of the next link, which is at the end of the body. Undefined on the last page. */
export function nextPathOf(body: Buffer): string | undefined {
  const start = body.lastIndexOf(mark);
  if (start < 0) return undefined;
  const text = body.toString("utf8", start + mark.length - 1, body.indexOf('"', start + mark.length) + 1);
  const link = JSON.parse(text) as string;
  return link.replace(/^https?:\/\/[^/]+/, "");
}
