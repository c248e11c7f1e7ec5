import type { Request, Response } from "express";
import { Refused } from "../errors.ts";
import { parseMediaType } from "../http/media-type.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { auditEndpoint, type EndpointCall } from "./audited-endpoints.ts";
import type { DeliveryServices } from "./services.ts";

/** Content type of parts and manifests. */
const octets = "application/octet-stream";

/** Memory reserved to send a part of any length, in bytes. The file is read into one buffer of half this size. */
const sendingBytes = 1_048_576;

type RedeemServices = Pick<DeliveryServices, "deliveries" | "audit"> & { readonly memory: MemoryBudget };
type Redeemed = Awaited<ReturnType<DeliveryServices["deliveries"]["redeem"]>>;

/**
 * `GET /v1/file-downloads/redeem`: streams the part or manifest of a grant with backpressure. When the client disconnects, reading stops
 * and the source is closed.
 *
 * @throws {Refused} `query_not_allowed`, `not_acceptable`, `invalid_token`, `too_much_in_flight`, `service_busy`
 */
export async function redeem(
  call: EndpointCall,
  res: Response,
  { deliveries, audit, memory }: RedeemServices,
): Promise<void> {
  const { req, caller } = call;
  if (req.originalUrl.includes("?")) throw new Refused("query_not_allowed");
  if (!accepts(req.get("accept"))) throw new Refused("not_acceptable");
  const gone = new AbortController();
  // An explicit reason avoids the default one, an error with a stack, which would be created for every request.
  req.once("close", () => gone.abort("gone"));
  const { release } = await memory.reserve(caller.scope.customer, sendingBytes, gone.signal);
  try {
    // The redemption is recorded before the first byte is sent.
    const redeemed = await auditEndpoint(audit, call, async (know) => {
      const found = await deliveries.redeem(caller, tokenOf(req));
      know({ id: found.grant.delivery, part: found.grant.part });
      return found;
    });
    await send(res, redeemed, gone.signal);
  } finally {
    release();
  }
}

async function send(
  res: Response,
  { byteLength, sha256, sendTo }: Redeemed,
  gone: AbortSignal,
): Promise<void> {
  res.status(200);
  res.setHeader("content-type", octets);
  res.setHeader("content-length", byteLength);
  res.setHeader("repr-digest", `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`);
  res.setHeader("accept-ranges", "none");
  res.setHeader("cache-control", "no-store");
  await sendTo(res, gone);
}

/** Returns the token of the grant. The API key must be in `x-api-key`: without that header, the token would be taken for an API key. */
function tokenOf(req: Request): string {
  const token = /^Bearer +(\S+)$/i.exec(req.get("authorization") ?? "")?.[1];
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
