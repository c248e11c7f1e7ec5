import { requireChannel } from "@cadastre/entitlement";
import type { Request, RequestHandler } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { sendAnswer } from "../http/answer.ts";
import { chain } from "../http/chain.ts";
import { underPreconditions } from "../http/entity-tag.ts";
import { exceedsValueCount } from "../http/json-size.ts";
import type { MemoryBudget } from "../http/memory-budget.ts";
import { privateResponse } from "../http/private-response.ts";
import { contentTypeOf, readRequestBody } from "../http/request-body.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { readParameters } from "../v1/parameters.ts";
import { type AuditedEndpoint, auditEndpoint, objectOf } from "./audited-endpoints.ts";
import { destinationEndpoints } from "./destination-endpoints.ts";
import { destinationOperations } from "./destination-operations.ts";
import { endpoints } from "./endpoints.ts";
import { deliveryOperations } from "./operations.ts";
import { redeem } from "./redeem.ts";
import type { DeliveryServices } from "./services.ts";
import { subscriptionEndpoints } from "./subscription-endpoints.ts";
import { subscriptionOperations } from "./subscription-operations.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";
import { webhookOperations } from "./webhook-operations.ts";

/** Maximum size of a body, in bytes. */
const maxBody = 16_384;

/** Maximum number of values and members of a body. The longest valid body is the list of events of a webhook. */
const maxValues = 200;

const operations = {
  ...deliveryOperations,
  ...subscriptionOperations,
  ...destinationOperations,
  ...webhookOperations,
};
const answers = { ...endpoints, ...subscriptionEndpoints, ...destinationEndpoints, ...webhookEndpoints };

/** Endpoints with the regular expressions of their paths. */
const routes = Object.entries(operations).map(([name, { path, method, ...operation }]) => ({
  name: name as AuditedEndpoint,
  template: path,
  method: method.toUpperCase(),
  pattern: new RegExp(`^${path.replace("{id}", "([^/]*)")}$`),
  parameters: ("parameters" in operation ? operation.parameters : []).flatMap((one) =>
    one.in === "query" ? [one.name] : [],
  ),
}));

/** Value of the `Vary` header: the request headers that the answer depends on. */
const decisive = "x-api-key, authorization, accept-encoding";

/** Endpoints that only read, and therefore also answer `HEAD`. */
const told: readonly AuditedEndpoint[] = [
  "list",
  "status",
  "manifest",
  "subscriptions",
  "subscription",
  "subscriptionDeliveries",
  "destinations",
  "destination",
  "webhooks",
  "webhook",
];

/** Handlers of all paths of deliveries, subscriptions, destinations and webhooks, for authenticated callers. */
export function deliveryRoutes(
  services: DeliveryServices & { readonly memory: MemoryBudget },
  { compression }: Config,
): RequestHandler[] {
  return [
    chain(privateResponse(decisive)),
    async (req, res) => {
      const [path = "", ...query] = req.originalUrl.split("?");
      const { name, template, parameters, id } = routeOf(path, req.method);
      const context = findContext(req);
      if (context !== undefined) context.route = template;
      const { scope, keyId } = callerOf(req);
      // Webhooks need no channel: every customer may be notified that its entitlement has changed.
      if (!Object.hasOwn(webhookOperations, name)) requireChannel(scope, "file_delivery");
      const caller = { scope, apiKey: keyId };
      const call = { name, req, caller, id };
      if (name === "redeem") return redeem(call, res, services);
      const answer = await auditEndpoint(services.audit, call, async (know) => {
        const read = readParameters(query.join("?"), parameters);
        const part = read.get("part") ?? "";
        if (/^\d{1,10}$/.test(part)) know({ part: Number(part) });
        const given = await answers[name](
          { caller, id, parameters: read, body: () => readJson(req) },
          services,
        );
        know(objectOf(given));
        return given;
      });
      const isStored = answer.headers?.["cache-control"] === undefined;
      // Answers with secrets are not compressed, because the length of a compressed answer can leak its content.
      sendAnswer(
        res,
        underPreconditions(answer, { header: (name) => req.get(name) }),
        compression && isStored,
      );
    },
  ];
}

/** @throws {Refused} `not_found`, `method_not_allowed` */
function routeOf(path: string, method: string) {
  const here = routes.filter(({ pattern }) => pattern.test(path));
  const asked = here.find((route) => methodsOf(route).includes(method));
  if (asked !== undefined) return { ...asked, id: asked.pattern.exec(path)?.[1] ?? "" };
  if (here.length === 0) throw new Refused("not_found");
  throw new Refused("method_not_allowed", { headers: { allow: here.flatMap(methodsOf).join(", ") } });
}

const methodsOf = ({ name, method }: (typeof routes)[number]): readonly string[] =>
  told.includes(name) ? [method, "HEAD"] : [method];

/** @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`, `invalid_request` */
async function readJson(req: Request): Promise<unknown> {
  if (contentTypeOf(req)?.type !== "application/json")
    throw new Refused("unsupported_media_type", { target: "Content-Type", allowed: ["application/json"] });
  const text = await readRequestBody(req, maxBody);
  if (exceedsValueCount(text, maxValues))
    throw new Refused("invalid_request", { reason: "it has too many values" });
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("invalid_request", { reason: "it is not valid JSON" });
  }
}
