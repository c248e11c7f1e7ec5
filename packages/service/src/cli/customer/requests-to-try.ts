import type { Channel } from "@cadastre/entitlement";
import type { Config } from "../../config.ts";

/** Requests of each channel, the first ones first. */
const requestsOf: readonly (readonly [channel: Channel | null, request: (base: string) => string])[] = [
  [null, (base) => get(`${base}/v1/account/resources`)],
  ["odata", (base) => get(`${base}/reso/odata/Property?$top=1`)],
  [
    "odata",
    (base) =>
      get(`${base}/reso/odata/Property?$filter=StandardStatus%20eq%20%27Active%27&$count=true&$top=0`),
  ],
  [
    "file_delivery",
    (base) =>
      post(`${base}/v1/file-exports`, {
        domain: "listing",
        deliveryMode: "pull",
        idempotencyKey: "first-try",
      }),
  ],
  ["file_delivery", (base) => get(`${base}/v1/file-exports`)],
  ["api", (base) => get(`${base}/v1/field-completeness`)],
  [null, (base) => get(`${base}/openapi.json`)],
];

const header = `-H "x-api-key: $KEY"`;
const get = (url: string) => `curl -s ${header} '${url}'`;
const post = (url: string, body: object) =>
  `curl -s ${header} -H 'content-type: application/json' '${url}' -d '${JSON.stringify(body)}'`;

/** Returns three shell commands by which a customer tries a key, which is in the variable `KEY`. */
export function requestsToTry(
  channels: Readonly<Record<Channel, boolean>>,
  { baseUrl, host, port }: Pick<Config, "baseUrl" | "host" | "port">,
): readonly string[] {
  const base = baseUrl ?? `http://${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  return requestsOf
    .filter(([channel]) => channel === null || channels[channel])
    .slice(0, 3)
    .map(([, request]) => request(base));
}
