import type { Headers } from "../support/ask.ts";

/** A request as it is sent. */
export type Sent = {
  readonly target: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
};

/** Ways to send a request: directly, with its options in the body, or in a batch. */
const carriers = {
  address: (sent) => sent,
  query: ({ target, headers }) => {
    const [path = "", options = ""] = target.split(/\?(.*)/s, 2);
    return {
      target: `${path}/$query`,
      method: "POST",
      headers: { ...headers, "content-type": "text/plain" },
      body: options,
    };
  },
  batch: ({ target, method, headers }) => ({
    target: "/reso/odata/$batch",
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ requests: [{ id: "1", method, url: target, headers }] }),
  }),
} as const satisfies Record<string, (sent: Sent) => Sent>;

export type Carrier = keyof typeof carriers;

/**
 * Returns the request as it is sent. A target `/mcp/<tool>?…` stands for a call of the tool, with the options as its arguments. Other
 * requests outside the OData root are always sent directly.
 */
export const carriedBy = (carrier: Carrier, sent: Sent): Sent => {
  if (sent.target.startsWith("/mcp/")) return toolCall(sent);
  return sent.target.startsWith("/reso/odata/") ? carriers[carrier](sent) : sent;
};

/** Arguments of tools that are not texts. */
const values: Readonly<Record<string, (text: string) => unknown>> = {
  top: Number,
  skip: Number,
  fields: (text) => text.split(","),
};

function toolCall({ target }: Sent): Sent {
  const [path = "", options = ""] = target.split(/\?(.*)/s, 2);
  const given = [...new URLSearchParams(options.replaceAll("+", "%2B"))].map(([name, text]) => [
    name,
    values[name]?.(text) ?? text,
  ]);
  const params = { name: path.slice("/mcp/".length), arguments: Object.fromEntries(given) as unknown };
  return {
    target: "/mcp",
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  };
}
