import { type Channel, requireChannel } from "@cadastre/entitlement";
import type { Request, RequestHandler } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { type Answer, sendAnswer } from "../http/answer.ts";
import { chain } from "../http/chain.ts";
import { abortOnClientClose } from "../http/client-abort.ts";
import { underPreconditions } from "../http/entity-tag.ts";
import { privateResponse } from "../http/private-response.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { allow } from "../http/routes.ts";
import { createStages } from "../http/stages.ts";
import { accountResources } from "./account-resources.ts";
import { fieldCompleteness } from "./field-completeness.ts";
import { listing } from "./listing.ts";
import { mlsProfiles } from "./mls-profiles.ts";
import { type V1Endpoint, v1Operations } from "./operations.ts";
import { readParameters } from "./parameters.ts";
import { getPhysicalProperty } from "./property.ts";
import type { V1Services } from "./services.ts";
import type { V1Request } from "./v1-request.ts";

type Endpoint = {
  /** Channel that the caller's entitlement must grant. Null: none, so that every customer can read what its entitlement grants. */
  readonly channel: Channel | null;
  readonly answer: (request: V1Request, services: V1Services) => Promise<Answer>;
};

const endpoints: Readonly<Record<V1Endpoint, Endpoint>> = {
  property: { channel: "api", answer: getPhysicalProperty },
  listing: { channel: "api", answer: listing },
  fieldCompleteness: { channel: "api", answer: fieldCompleteness },
  accountResources: { channel: null, answer: accountResources },
  mlsProfiles: { channel: "api", answer: mlsProfiles },
};

/** Endpoints with the regular expressions of their paths. */
const routes = Object.entries(v1Operations).map(([name, operation]) => ({
  ...endpoints[name as V1Endpoint],
  template: operation.path,
  pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/, "([^/]*)")}$`),
  parameters: (operation.parameters ?? []).flatMap((one) => (one.in === "query" ? [one.name] : [])),
}));

/** Value of the `Vary` header: the request headers that the answer depends on. */
const decisive = "x-api-key, authorization, accept-encoding";

/** True for a request of `/v1/account/resources`, which is answered even with an expired entitlement. */
export const isAccountRequest = ({ originalUrl }: Request): boolean =>
  originalUrl.split("?", 1)[0] === v1Operations.accountResources.path;

/** Handlers of all paths under `/v1`, for authenticated callers. */
export function v1Routes(services: V1Services, { compression, serverTiming }: Config): RequestHandler[] {
  return [
    chain(privateResponse(decisive)),
    async (req, res) => {
      const [path = "", ...query] = req.originalUrl.split("?");
      const { place, channel, template, parameters, answer } = routeOf(path);
      const context = findContext(req);
      if (context !== undefined) context.route = template;
      const { scope, entitlementState } = callerOf(req);
      if (channel !== null) requireChannel(scope, channel);
      if (req.method !== "GET" && req.method !== "HEAD")
        throw new Refused("method_not_allowed", { headers: { allow } });
      const request: V1Request = {
        scope,
        entitlementState,
        stages: context?.stages ?? createStages(),
        parameters: readParameters(query.join("?"), parameters),
        place,
        gone: () => abortOnClientClose(res),
      };
      const answered = underPreconditions(await answer(request, services), {
        header: (name) => req.get(name),
      });
      if (serverTiming) res.setHeader("server-timing", request.stages.header());
      sendAnswer(res, answered, compression);
    },
  ];
}

/** @throws {Refused} `not_found` */
function routeOf(path: string) {
  for (const route of routes) {
    const found = route.pattern.exec(path);
    if (found !== null) return { ...route, place: found[1] ?? "" };
  }
  throw new Refused("not_found");
}
