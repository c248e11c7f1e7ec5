// RESO listings out of arrays in memory: Hono and @cadastre/server. The handler is the same in Bun, Deno and workers.
import { unrestricted } from "@cadastre/server";
import { fetchOdata } from "@cadastre/server/fetch";
import { arraySource } from "@cadastre/server/memory";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { listings, Property } from "./listings.ts";

const handler = fetchOdata("/odata", {
  namespace: "Office",
  entitySets: [Property],
  source: arraySource({ Property: listings }),
  restrict: unrestricted,
});

const app = new Hono().all("/odata/*", (context) => handler(context.req.raw));

export const server = serve({
  fetch: app.fetch,
  port: Number(process.env["PORT"] ?? 8080),
  hostname: "127.0.0.1",
});
