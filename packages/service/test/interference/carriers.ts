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

/** Returns the request as it is sent. Requests outside the OData root are always sent directly. */
export const carriedBy = (carrier: Carrier, sent: Sent): Sent =>
  sent.target.startsWith("/reso/odata/") ? carriers[carrier](sent) : sent;
