import { ok } from "@cadastre/server/parts";
import type { IRouter } from "express";
import { sendAnswer } from "../http/answer.ts";
import type { Operation } from "../http/operation.ts";
import { addRead } from "../http/routes.ts";
import type { DeliveryServices } from "./services.ts";

/** OpenAPI operation of the public keys that verify manifests. */
export const keySetOperation: Operation = {
  method: "get",
  path: "/.well-known/jwks.json",
  tag: "Delivery",
  summary: "The public keys that manifests are signed with",
  isOpen: true,
  gives: { "application/json": { type: "object", required: ["keys"] } },
};

/** Adds the route of the public keys that verify manifests. It needs no API key. */
export function addKeySet(routes: IRouter, { manifestKeys }: Pick<DeliveryServices, "manifestKeys">): void {
  addRead(routes, keySetOperation, async (_req, res) => {
    const { published } = await manifestKeys();
    res.setHeader("cache-control", "public, max-age=300");
    sendAnswer(res, ok("application/json", published));
  });
}
