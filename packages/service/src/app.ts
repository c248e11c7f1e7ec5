import express, { type Express } from "express";
import { type Edge, requireApiKey } from "./access/api-key.ts";
import type { Config } from "./config.ts";
import { deliveryRoutes } from "./delivery/delivery-routes.ts";
import { destinationsRoot } from "./delivery/destination-operations.ts";
import { addKeySet } from "./delivery/key-set.ts";
import { downloadsRoot, exportsRoot } from "./delivery/operations.ts";
import type { DeliveryServices } from "./delivery/services.ts";
import { subscriptionsRoot } from "./delivery/subscription-operations.ts";
import { webhooksRoot } from "./delivery/webhook-operations.ts";
import { Refused } from "./errors.ts";
import { crossOrigin } from "./http/cross-origin.ts";
import { addHealth } from "./http/health.ts";
import { type HeapGuard, refuseWhenFull } from "./http/heap-guard.ts";
import { hostForm } from "./http/host.ts";
import { cutIdleClients } from "./http/idle-client.ts";
import type { Metrics } from "./http/metrics.ts";
import { onError } from "./http/on-error.ts";
import { requestIds } from "./http/request-ids.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { requireSingleHeaders } from "./http/single-headers.ts";
import { inOrder } from "./http/steps.ts";
import { urlLimit } from "./http/url-limit.ts";
import type { Log } from "./log.ts";
import { odataRoutes } from "./odata/odata-routes.ts";
import { announceVersion, odataRoot } from "./odata/protocol.ts";
import type { OdataServices } from "./odata/services.ts";
import { addExplorer } from "./openapi/explorer.ts";
import type { Readiness } from "./readiness/readiness.ts";
import { v1Root } from "./v1/operations.ts";
import type { V1Services } from "./v1/services.ts";
import { isAccountRequest, v1Routes } from "./v1/v1-routes.ts";

/** All that the routes work with. */
export type Services = Edge &
  OdataServices &
  V1Services & {
    readonly config: Config;
    readonly log: Log;
    readonly metrics?: Metrics | undefined;
    readonly readiness: Readiness;
    /** Undefined: nothing is refused for the heap. */
    readonly heap?: HeapGuard | undefined;
    /** Undefined: nothing is delivered. */
    readonly delivery?: DeliveryServices | undefined;
  };

/** The service as an Express application: what every request meets, in order. */
export function createApp(services: Services): Express {
  const { config, log, metrics, readiness, heap, delivery } = services;
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  // Options are read from the query string as it came in.
  app.set("query parser", false);
  if (config.trustProxy !== undefined) app.set("trust proxy", config.trustProxy);

  app.use(requestIds(log, metrics));
  app.use(
    inOrder(
      cutIdleClients(config.idleSeconds),
      securityHeaders(),
      announceVersion(config.odataVersion),
      ...(heap === undefined ? [] : [refuseWhenFull(heap)]),
      urlLimit,
      requireSingleHeaders,
      hostForm,
    ),
  );
  if (config.corsOrigins !== undefined) app.use(crossOrigin(config.corsOrigins));
  // Express asks every layer on the way: what is read most comes first.
  app.use(odataRoot, requireApiKey(services), odataRoutes(services, config));
  if (delivery !== undefined) {
    addKeySet(app, delivery);
    // What was revoked is not delivered for another moment.
    app.use(
      [exportsRoot, downloadsRoot, subscriptionsRoot, destinationsRoot, webhooksRoot],
      requireApiKey(services, "fresh"),
      deliveryRoutes({ ...delivery, memory: services.memory }, config),
    );
  }
  // The holder of a valid key may learn that its entitlement has expired.
  app.use(v1Root, requireApiKey(services, "recent", isAccountRequest), v1Routes(services, config));
  addHealth(app, readiness);
  addExplorer(app, config);
  app.use(requireApiKey(services));
  app.use((_req, _res, next) => next(new Refused("not_found")));
  app.use(onError(log, readiness.noteError));
  return app;
}
