import type { ByteRange } from "@cadastre/delivery";
import { type HeaderReader, parseMediaType } from "@cadastre/server/parts";
import parseRange from "range-parser";
import { defineEndpoint } from "../endpoint/endpoint.ts";
import { Refused } from "../errors.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import type { DeliveryServices } from "./services.ts";

/** Path in every logical grant. Source: interface specification, section 4.3. */
export const redemptionPath = "/v1/file-downloads/redeem";

/** Content type of parts and manifests. */
const octets = "application/octet-stream";

/** Memory reserved to send a part of any length, in bytes. The file is read into one buffer of half this size. */
const sendingBytes = 1_048_576;

type RedeemServices = Pick<DeliveryServices, "deliveries" | "onServed"> & { readonly memory: MemoryBudget };

/** Streams the part or manifest of a grant with backpressure. When the client disconnects, reading stops and the source is closed. */
export const redeem = defineEndpoint({
  method: "get",
  path: redemptionPath,
  tag: "Delivery",
  summary:
    "The bytes of a grant, or a range of them, with `Content-Length` and the `Repr-Digest` of all. `x-api-key` is the key that was granted them",
  channel: "file_delivery",
  audit: "export.redeem",
  refusesQuery: true,
  headers: {
    authorization: "`Bearer` and the `bearer_token` of a grant",
    range: "One range of bytes, such as `bytes=1000-`: the answer is 206. Several ranges are ignored",
    "if-range": "The `ETag` of the bytes that a client has: `range` is ignored for others",
  },
  answer: { content: { [octets]: { type: "string", format: "binary" } } },
  errors: [
    "query_not_allowed",
    "invalid_token",
    "entitlement_changed",
    "not_acceptable",
    "range_not_satisfiable",
    "delivery_expired",
    "part_lost",
    "part_rebuilding",
    "too_much_in_flight",
  ],
  handle: async (
    { caller, header, clientGone, whenClosed, note },
    { deliveries, memory, onServed }: RedeemServices,
  ) => {
    if (!accepts(header("accept"))) throw new Refused("not_acceptable");
    const { release } = await memory.reserve(caller.scope.customer, sendingBytes, clientGone());
    whenClosed(release);
    const { grant, byteLength, sha256, stream, sendTo } = await deliveries.redeem(caller, tokenOf(header));
    note({ id: grant.delivery, part: grant.part });
    const etag = `"${sha256}"`;
    const asked = askedRange(header, byteLength, etag);
    if (asked === "unsatisfiable") {
      stream().destroy();
      throw new Refused("range_not_satisfiable", { headers: { "content-range": `bytes */${byteLength}` } });
    }
    const { start, end } = asked ?? { start: 0, end: byteLength };
    return {
      status: asked === undefined ? 200 : 206,
      contentType: octets,
      body: "",
      headers: {
        "content-length": String(end - start),
        ...(asked === undefined ? {} : { "content-range": `bytes ${start}-${end - 1}/${byteLength}` }),
        "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
        etag,
        "accept-ranges": "bytes",
        "cache-control": "no-store",
      },
      stream: async (to) => {
        const gone = clientGone();
        await sendTo(to, { start, end }, gone);
        if (!gone.aborted) onServed(end - start);
      },
    };
  },
});

/** Returns the range that is asked for; undefined for all bytes. Source: RFC 9110, sections 13.1.5 and 14.2. */
function askedRange(
  header: HeaderReader,
  byteLength: number,
  etag: string,
): ByteRange | "unsatisfiable" | undefined {
  const range = header("range");
  if (range === undefined || (header("if-range") ?? etag) !== etag) return undefined;
  const found = parseRange(byteLength, range);
  if (found === -1) return "unsatisfiable";
  const [only, ...others] = found === -2 || found.type !== "bytes" ? [] : found;
  return only === undefined || others.length > 0 ? undefined : { start: only.start, end: only.end + 1 };
}

/** Returns the token of the grant. The API key must be in `x-api-key`: without that header, the token would be taken for an API key. */
function tokenOf(header: HeaderReader): string {
  const token = /^Bearer +(\S+)$/i.exec(header("authorization") ?? "")?.[1];
  if (token === undefined) throw new Refused("invalid_token");
  return token;
}

const accepted = [octets, "application/*", "*/*"];

const accepts = (header: string | undefined): boolean =>
  header === undefined ||
  header.split(",").some((range) => {
    const { type = "", parameters = [] } = parseMediaType(range) ?? {};
    return accepted.includes(type) && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
