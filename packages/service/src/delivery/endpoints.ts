import { Refused } from "../errors.ts";
import { type Answer, ok } from "../http/answer.ts";
import { enveloped } from "../v1/envelope.ts";
import { readAcknowledgement, readExportRequest } from "./bodies.ts";
import { readListCursor, writeCursor } from "./cursor.ts";
import type { DeliveryRequest } from "./delivery-request.ts";
import { type DeliveryEndpoint, exportsRoot, maxPart, redemptionPath } from "./operations.ts";
import { prefixesFor } from "./prefixes.ts";
import { dataResponse, noStoreResponse, readLimit } from "./responses.ts";
import type { DeliveryServices } from "./services.ts";
import { acknowledgementView, creationView, deliveryView, statusView } from "./views.ts";

type Endpoint = (request: DeliveryRequest, services: DeliveryServices) => Promise<Answer>;

/** Handlers of the endpoints of deliveries, except for the redemption of a grant, which streams its answer. */
export const endpoints: Readonly<Record<Exclude<DeliveryEndpoint, "redeem">, Endpoint>> = {
  create: async (request, { deliveries }) => {
    const asked = readExportRequest(await request.body());
    const { delivery, replayed } = await deliveries.create(request.caller, asked);
    return noStoreResponse(dataResponse(creationView(delivery), request), 202, {
      location: `${exportsRoot}/${delivery.id}`,
      ...(replayed ? { "idempotency-replayed": "true" } : {}),
    });
  },

  list: async ({ caller, parameters }, services) => {
    const { deliveries, cursorKey } = services;
    const { scope } = caller;
    const limit = readLimit(parameters.get("limit"));
    const given = parameters.get("after");
    const after = given === undefined ? undefined : readListCursor(given, scope.customer, cursorKey);
    // One more delivery than requested is read, to know if there is another page.
    const complete = await deliveries.list(caller, { after, limit: limit + 1 });
    const page = complete.slice(0, limit);
    const last = complete.length > limit ? page.at(-1) : undefined;
    const next =
      last === undefined || last.completed === null
        ? null
        : writeCursor({ id: last.id, completed: last.completed }, scope.customer, cursorKey);
    const prefixes = await prefixesFor(services, scope.customer, page);
    const views = page.map((delivery) => deliveryView(delivery, prefixes));
    return enveloped(views, scope, { count: page.length, next_after: next });
  },

  status: async (request, services) => {
    const { caller, id } = request;
    const status = await services.deliveries.status(caller, id);
    const prefixes = await prefixesFor(services, caller.scope.customer, [status.delivery]);
    return dataResponse(statusView(status, prefixes), request);
  },

  cancel: async (request, services) => {
    const { caller, id } = request;
    const delivery = await services.deliveries.cancel(caller, id);
    const prefixes = await prefixesFor(services, caller.scope.customer, [delivery]);
    return noStoreResponse(dataResponse(deliveryView(delivery, prefixes), request), 200);
  },

  manifest: async ({ caller, id }, { deliveries }) => {
    const { text, sha256, signature } = await deliveries.manifest(caller, id);
    const meta = {
      entitlement_version: caller.scope.version,
      manifest_sha256: sha256,
      signature: JSON.parse(signature) as unknown,
    };
    const pieces = ['{"data":', text, `,"meta":${JSON.stringify(meta)}}`];
    return { ...ok("application/json", pieces), headers: { etag: `"sha256:${sha256}"` } };
  },

  download: async (request, { deliveries, isDirect }) => {
    const { caller, id } = request;
    const part = readPart(request.parameters.get("part"));
    const granted = (grant: Readonly<Record<string, unknown>>, expires: number) =>
      noStoreResponse(dataResponse(grant, request, { expires_at: new Date(expires).toISOString() }), 200);
    // The manifest is stored in the registry and not in the bucket, so it has no URL of its own.
    if (isDirect && part !== 0) {
      const { url, expires } = await deliveries.grantDirect(caller, id, part);
      return granted({ kind: "direct_https", url }, expires);
    }
    const { token, expires } = await deliveries.grant(caller, id, part);
    return granted({ kind: "logical", url: redemptionPath, bearer_token: token }, expires);
  },

  acknowledge: async (request, { deliveries }) => {
    const said = readAcknowledgement(await request.body());
    const { acknowledgement, first } = await deliveries.acknowledge(request.caller, request.id, said);
    return noStoreResponse(dataResponse(acknowledgementView(acknowledgement), request), first ? 201 : 200);
  },
};

/** @throws {Refused} `invalid_part` */
function readPart(text: string | undefined): number {
  const part = text !== undefined && /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : -1;
  if (part < 0 || part > maxPart) throw new Refused("invalid_part");
  return part;
}
