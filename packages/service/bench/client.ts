import { Agent, type IncomingMessage, request } from "node:http";
import type { Running } from "./processes.ts";

export type Reply = { readonly status: number; readonly body: Buffer };

/** Asks a server on connections that stay open. */
export type Client = {
  /** @throws {Error} if the answer is cut off, or `signal` aborts it. */
  readonly get: (path: string, signal?: AbortSignal) => Promise<Reply>;
  readonly close: () => void;
};

/** @param connections how many may be open at once */
export function connect({ port }: Pick<Running, "port">, connections: number, apiKey = ""): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = apiKey === "" ? {} : { "x-api-key": apiKey };
  return {
    get: (path, signal) =>
      new Promise((resolve, reject) => {
        const options = { port, host: "127.0.0.1", path, agent, headers, ...(signal && { signal }) };
        const sent = request(options, (response) => {
          collect(response).then(resolve, reject);
        });
        sent.on("error", reject);
        sent.end();
      }),
    close: () => agent.destroy(),
  };
}

async function collect(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}

/** The body of an answer that must be a success. */
export async function bodyOf(client: Client, path: string): Promise<Buffer> {
  const { status, body } = await client.get(path);
  if (status !== 200) throw new Error(`${path} gave ${status}: ${body.toString("utf8", 0, 300)}`);
  return body;
}

const mark = '"@odata.nextLink":"';

/** Path of the next page, or undefined: it stands at the end of the body. */
export function nextPathOf(body: Buffer): string | undefined {
  const start = body.lastIndexOf(mark);
  if (start < 0) return undefined;
  const text = body.toString("utf8", start + mark.length - 1, body.indexOf('"', start + mark.length) + 1);
  const link = JSON.parse(text) as string;
  return link.replace(/^https?:\/\/[^/]+/, "");
}
