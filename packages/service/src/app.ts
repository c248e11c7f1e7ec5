import express, { type Express } from "express";
import { type Authentication, requireApiKey } from "./access/api-key.ts";
import type { Config } from "./config.ts";
import { deliveryEndpoints } from "./delivery/endpoints.ts";
import { addKeySet } from "./delivery/key-set.ts";
import type { DeliveryServices } from "./delivery/services.ts";
import type { DemoSignIn } from "./demo/sign-in.ts";
import { addSignIn } from "./demo/sign-in-route.ts";
import { beforeEndpoints, endpointRoutes } from "./endpoint/routes.ts";
import { Refused } from "./errors.ts";
import { explorerFolder } from "./explorer/explorer-files.ts";
import { addExplorer } from "./explorer/routes.ts";
import { closeIdleClients } from "./http/connection.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import { answerDirectly } from "./http/direct-path.ts";
import { addHealth } from "./http/health.ts";
import { type HeapGuard, refuseWhenFull } from "./http/heap-guard.ts";
import type { Metrics } from "./http/metrics.ts";
import { announceVersion, isOdata } from "./http/odata-protocol.ts";
import { onError } from "./http/on-error.ts";
import type { Readiness } from "./http/readiness.ts";
import { hostForm, requireSingleHeaders, urlLimit } from "./http/request-head.ts";
import { requestIds } from "./http/request-ids.ts";
import { securityHeaders } from "./http/response-headers.ts";
import { chain } from "./http/routes.ts";
import type { Log } from "./log.ts";
import { addMcp } from "./mcp/routes.ts";
import { odataRoutes } from "./odata/odata-routes.ts";
import type { OdataServices } from "./odata/services.ts";
import { addReference } from "./openapi/reference.ts";
import type { Tracing } from "./telemetry/tracing.ts";
import { v1Endpoints } from "./v1/endpoints.ts";
import type { V1Services } from "./v1/services.ts";

/** All services that the routes need. */
export type Services = Authentication &
  OdataServices &
  V1Services & {
    readonly config: Config;
    readonly log: Log;
    readonly metrics?: Metrics | undefined;
    /** Undefined: no traces are recorded. */
    readonly tracing?: Tracing | undefined;
    readonly readiness: Readiness;
    /** Undefined: no request is refused because of the heap. */
    readonly heap?: HeapGuard | undefined;
    /** Undefined: deliveries are not offered. */
    readonly delivery?: DeliveryServices | undefined;
    /** Undefined: no sign-in with demo keys is offered. */
    readonly signIn?: DemoSignIn | undefined;
  };

/** Creates the Express application: all middleware and routes, in order. */
export function createApp(services: Services): Express {
  const { config, log, metrics, tracing, readiness, heap, delivery, signIn } = services;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  // Query options are parsed from the raw query string.
  app.set("query parser", false);
  if (config.trustProxy !== undefined) app.set("trust proxy", config.trustProxy);

  const edge = [
    chain(
      requestIds(log, { metrics, tracing, timed: config.serverTiming }),
      closeIdleClients(config.idleSeconds),
      securityHeaders(),
      announceVersion(config.odataVersion),
      ...(heap === undefined ? [] : [refuseWhenFull(heap)]),
      urlLimit,
      requireSingleHeaders,
      hostForm,
    ),
    ...(config.corsOrigins === undefined ? [] : crossOrigin(config.corsOrigins)),
  ];
  app.use(edge);
  app.use("/v1", beforeEndpoints);
  app.use(endpointRoutes(v1Endpoints, services, { ...services, freshness: "recent" }));
  if (delivery !== undefined) {
    addKeySet(app, delivery);
    // Verify keys without a cache here, so that a revoked one stops working at once.
    const host = { ...services, audit: delivery.audit, freshness: "fresh" } as const;
    app.use(endpointRoutes(deliveryEndpoints, { ...delivery, memory: services.memory }, host));
  }
  if (config.mcp) addMcp(app, services, config);
  addHealth(app, readiness);
  addExplorer(app, config, config.explorer ? explorerFolder : "off");
  addReference(app, config);
  addSignIn(app, signIn, () => log.info("the page of this machine was given the demo keys"));
  app.use(requireApiKey(services));
  app.use((_req, _res, next) => next(new Refused("not_found")));
  const answerError = onError(log, readiness.noteError);
  app.use(answerError);
  const odata = [...edge, requireApiKey(services), ...odataRoutes(services, config)];
  answerDirectly(app, { matches: isOdata, handlers: odata, onError: answerError });
  return app;
}
