import { requireChannel } from "@cadastre/entitlement";
import { type Answer, ok, tagged, underPreconditions } from "@cadastre/server/parts";
import { type IRouter, type Request, type RequestHandler, type Response, Router } from "express";
import { type Authentication, requireApiKey } from "../access/api-key.ts";
import { type AuditObject, type AuditOutcome, type AuditTrail, recordableId } from "../audit/audit-trail.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { type StreamedAnswer, sendAnswer, sendStreamedAnswer } from "../http/answer.ts";
import { abortOnClientClose } from "../http/connection.ts";
import { toPublicError } from "../http/error-body.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { privateResponse } from "../http/response-headers.ts";
import { createStages } from "../telemetry/stages.ts";
import type { Freshness } from "../ttl-cache.ts";
import type { Endpoint, EndpointCall } from "./endpoint.ts";
import { readRequest } from "./read-request.ts";

type Reply = EndpointCall<unknown, unknown, unknown, object, object>["reply"];

/** Returns the function that makes the answers `{data, meta}` of an endpoint. `meta` has the version of the caller's entitlement. */
export const replyOf =
  (
    { audit, status: usual }: Pick<Endpoint<never>, "audit" | "status">,
    { scope }: EndpointCall["caller"],
  ): Reply =>
  (data, { meta, status = usual, headers = {} } = {}) => {
    const body = JSON.stringify({ data, meta: { entitlement_version: scope.version, ...meta } });
    const answer: Answer = { ...ok("application/json", body), status, headers };
    return audit === undefined
      ? tagged(answer)
      : { ...answer, headers: { "cache-control": "no-store", ...headers } };
  };

/** Dependencies of the routes of endpoints, besides those of their handlers. */
export type EndpointHost = Authentication & {
  readonly config: Pick<Config, "compression" | "serverTiming">;
  /** Required for endpoints with an action in the audit trail. */
  readonly audit?: AuditTrail | undefined;
  /** `fresh`: keys and entitlements are read without the cache, so that a revocation takes effect at once. */
  readonly freshness: Freshness;
};

/** Returns the routes of the endpoints. A path answers the methods of its endpoints to authenticated callers, and refuses all others. */
export function endpointRoutes<Services>(
  endpoints: readonly Endpoint<Services>[],
  services: Services,
  host: EndpointHost,
): IRouter {
  const routes = Router({ caseSensitive: true, strict: true });
  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) {
    const here = endpoints.filter((endpoint) => endpoint.path === path);
    const admitsExpired = here.some((endpoint) => endpoint.admitsExpired === true);
    const route = routes.route(expressPath(path));
    route.all(noteRoute(path), requireApiKey(host, host.freshness, admitsExpired));
    const allow = here.flatMap(methodsOf).join(", ");
    const refuse = () => {
      throw new Refused("method_not_allowed", { headers: { allow } });
    };
    // Express would answer `HEAD` by the handler of `GET`.
    if (!allow.includes("HEAD")) route.head(refuse);
    for (const endpoint of here) route[endpoint.method](handlerOf(endpoint, services, host));
    route.all(refuse);
  }
  return routes;
}

/** Returns the path of a template for Express. An empty parameter belongs to its endpoint, which refuses it. */
const expressPath = (template: string): string => template.replace(/\{(\w+)\}/g, "{:$1}");

const methodsOf = ({ method, audit }: Endpoint<never>): readonly string[] =>
  method === "get" && audit === undefined ? ["GET", "HEAD"] : [method.toUpperCase()];

/** Value of the `Vary` header: the request headers that an answer depends on. */
const decisive = "x-api-key, authorization, accept-encoding";

const markPrivate = privateResponse(decisive);

/**
 * Middleware before the routes of endpoints. Marks the answer as private, and encodes the percent signs of the path once more: Express
 * decodes path parameters before any handler runs, and fails for all endpoints alike. This way each endpoint gets its parameters as they
 * were sent, and refuses them with its own error code.
 */
export const beforeEndpoints: RequestHandler = (req, res, next) => {
  markPrivate(req, res);
  const [path = "", ...query] = req.url.split("?");
  if (path.includes("%")) req.url = [path.replaceAll("%", "%25"), ...query].join("?");
  next();
};

const noteRoute =
  (path: string): RequestHandler =>
  (req, _res, next) => {
    const context = findContext(req);
    if (context !== undefined) context.route = path;
    next();
  };

const handlerOf =
  <Services>(endpoint: Endpoint<Services>, services: Services, host: EndpointHost): RequestHandler =>
  async (req, res) => {
    const { scope, keyId, entitlementState } = callerOf(req);
    if (endpoint.channel !== null) requireChannel(scope, endpoint.channel);
    const caller = { scope, apiKey: keyId };
    const stages = findContext(req)?.stages ?? createStages();
    const answer = await audited(endpoint, { req, caller }, host, async (note) => {
      const given = await stages.timeAsync("parse", () => readRequest(endpoint, req));
      const call = { caller, entitlementState, stages, note, ...given, ...connectionOf(req, res) };
      const made = await endpoint.handle({ reply: replyOf(endpoint, caller), ...call }, services);
      note(objectOf(made));
      return made;
    });
    if (host.config.serverTiming) res.setHeader("server-timing", stages.header());
    if ("stream" in answer) return sendStreamedAnswer(res, answer);
    // Answers with secrets are not compressed, because the length of a compressed answer can leak its content.
    const isCompressed = host.config.compression && endpoint.audit === undefined;
    sendAnswer(res, underPreconditions(answer, { header: (name) => req.get(name) }), isCompressed);
  };

const connectionOf = (
  req: Request,
  res: Response,
): Pick<EndpointCall, "header" | "clientGone" | "whenClosed"> => ({
  header: (name) => req.get(name),
  clientGone: () => abortOnClientClose(res),
  whenClosed: (callback) => {
    // A closed response emits no further `close` event.
    if (res.closed || res.destroyed) callback();
    else res.once("close", callback);
  },
});

/** Runs an endpoint. Its action, if it has one, is recorded before the request is answered, see `AuditTrail.run`. */
function audited(
  { audit: action }: Endpoint<never>,
  { req, caller }: { readonly req: Request; readonly caller: EndpointCall["caller"] },
  { audit }: EndpointHost,
  work: (note: EndpointCall["note"]) => Promise<Answer | StreamedAnswer>,
): Promise<Answer | StreamedAnswer> {
  if (action === undefined) return work(() => {});
  if (audit === undefined) throw new RangeError("an audited endpoint needs an audit trail");
  const { requestId = null, address = null } = findContext(req) ?? {};
  const actor = { type: "customer", customer: caller.scope.customer, keyId: caller.apiKey } as const;
  const id = recordableId(String(req.params["id"] ?? ""));
  return audit.run({ action, actor, object: { id }, requestId, address }, work);
}

/** Returns the id of a created object from an answer, and whether the answer was replayed. */
function objectOf({ headers = {} }: Answer): AuditObject {
  const id = headers["location"]?.split("/").at(-1);
  return {
    ...(id === undefined ? {} : { id }),
    ...(headers["idempotency-replayed"] === undefined ? {} : { replayed: true }),
  };
}

export function outcomeOf(error: unknown): AuditOutcome {
  const { status, code } = toPublicError(error);
  return { outcome: status < 500 ? "refused" : "failed", code };
}
