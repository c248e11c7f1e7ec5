import { type Agent, request } from "node:http";
import { requireNoCanary } from "./canaries.ts";

export type Headers = Readonly<Record<string, string>>;

/** A response as received. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** Throws if an endpoint has answered an error that its definition does not declare. */
async function requireDeclared(method: string, target: string, { text }: Reply): Promise<void> {
  const { declaredErrors } = await import("./declared-errors.ts");
  const declared = declaredErrors(method, target);
  const { error } = (text === "" ? {} : JSON.parse(text)) as { readonly error?: string };
  if (error !== undefined && declared !== undefined && !declared.includes(error))
    throw new Error(`the endpoint of ${method} ${target} does not declare ${error}`);
}

/**
 * Sends the request target unchanged: nothing is encoded or normalized. Throws if the response, of whatever status, contains a
 * canary that the caller may not see, or if an endpoint answers an error that it does not declare.
 *
 * @param agent keeps connections; by default each request has its own
 */
export async function ask(
  baseUrl: string,
  target: string,
  headers: Headers = {},
  method = "GET",
  body: string | Uint8Array = "",
  agent: Agent | false = false,
): Promise<Reply> {
  const reply = await send(baseUrl, target, headers, method, body, agent);
  const apiKey = headers["x-api-key"] ?? headers["authorization"]?.split(" ").at(-1);
  requireNoCanary(JSON.stringify(reply), `the answer to ${target}`, apiKey);
  if (reply.status >= 400 && target.startsWith("/v1/")) await requireDeclared(method, target, reply);
  return reply;
}

function send(
  baseUrl: string,
  target: string,
  headers: Headers,
  method: string,
  body: string | Uint8Array,
  agent: Agent | false,
): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: target, method, headers, agent }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export type Collection = {
  readonly "@odata.context": string;
  readonly "@odata.count"?: number;
  readonly "@odata.nextLink"?: string;
  readonly value: readonly Readonly<Record<string, unknown>>[];
};

export type OdataError = {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly target?: string;
    readonly details?: readonly {
      readonly code: string;
      readonly message: string;
      readonly target?: string;
    }[];
  };
};

export const toCollection = ({ text }: Reply) => JSON.parse(text) as Collection;
export const toEntity = ({ text }: Reply) => JSON.parse(text) as Readonly<Record<string, unknown>>;
export const toError = ({ text }: Reply) => (JSON.parse(text) as OdataError).error;

/** Returns a percent-encoded query string: `{ $top: 5 }` → `?$top=5`. */
export const query = (options: Readonly<Record<string, string | number | boolean>>): string =>
  `?${Object.entries(options)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;

/** Returns all pages from `target` on, by following next links. */
export async function walk(
  baseUrl: string,
  target: string,
  headers: Headers,
): Promise<readonly Collection[]> {
  const pages: Collection[] = [];
  for (let next: string | undefined = target; next !== undefined; ) {
    const reply = await ask(baseUrl, next, headers);
    if (reply.status !== 200) throw new Error(`${next} gave ${reply.status}: ${reply.text}`);
    const page = toCollection(reply);
    pages.push(page);
    const link: string | undefined = page["@odata.nextLink"];
    next = link?.slice(baseUrl.length);
  }
  return pages;
}
