import type { Headers } from "../support/ask.ts";

/** What goes over the wire. */
export type Sent = {
  readonly target: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
};

/** How a request travels: at its own address, with its options in the body, or in a batch. */
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

/** The request as it is sent. What lies outside the OData root has an address and nothing else. */
export const carriedBy = (carrier: Carrier, sent: Sent): Sent =>
  sent.target.startsWith("/reso/odata/") ? carriers[carrier](sent) : sent;
