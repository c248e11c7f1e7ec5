import type { IRouter } from "express";
import { ok, sendAnswer } from "../http/answer.ts";
import { addRead } from "../http/routes.ts";
import { keySetOperation } from "./operations.ts";
import type { DeliveryServices } from "./services.ts";

/** Adds the route of the public keys that verify manifests. It needs no API key. */
export function addKeySet(routes: IRouter, { manifestKeys }: Pick<DeliveryServices, "manifestKeys">): void {
  addRead(routes, keySetOperation, (_req, res) => {
    res.setHeader("cache-control", "public, max-age=300");
    sendAnswer(res, ok("application/json", manifestKeys));
  });
}
