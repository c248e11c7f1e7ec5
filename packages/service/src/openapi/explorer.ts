import { createRequire } from "node:module";
import { dirname } from "node:path";
import { ok } from "@cadastre/server/parts";
import type { IRouter, Response } from "express";
import type { Config } from "../config.ts";
import { deliveryEndpoints } from "../delivery/endpoints.ts";
import { keySetOperation } from "../delivery/key-set.ts";
import { toOperation } from "../endpoint/operation.ts";
import { sendAnswer } from "../http/answer.ts";
import { healthOperations } from "../http/health.ts";
import { type Operation, textSchema } from "../http/operation.ts";
import { addRead } from "../http/routes.ts";
import { odataOperations } from "../odata/operations.ts";
import { v1Endpoints } from "../v1/endpoints.ts";
import { openApiDocument } from "./document.ts";
import { explorerPage, explorerPolicy, explorerScript } from "./explorer-page.ts";

const open = (path: string, summary: string, ...types: readonly string[]): Operation => ({
  method: "get",
  path,
  tag: "Service",
  summary,
  isOpen: true,
  gives: Object.fromEntries(types.map((type) => [type, textSchema])),
});

const document = open("/openapi.json", "This document", "application/json");
const page = open("/explorer", "A page to try requests with", "text/html");
const script = open("/explorer/start.js", "Starts the page", "text/javascript");
/** Files of the package `swagger-ui-dist` that the page loads. */
const files: readonly Operation[] = [
  open("/explorer/swagger-ui-bundle.js", "The page's program", "text/javascript"),
  open("/explorer/swagger-ui.css", "The page's style", "text/css"),
  open("/explorer/favicon-32x32.png", "The page's icon", "image/png"),
];

/** All operations of the service. */
const operations: readonly Operation[] = [
  ...odataOperations,
  ...[...v1Endpoints, ...deliveryEndpoints].map(toOperation),
  keySetOperation,
  ...healthOperations,
  document,
  page,
  script,
  ...files,
];

const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** Adds routes for the OpenAPI document and for Swagger UI. They need no API key, and load nothing from other hosts. */
export function addExplorer(routes: IRouter, { baseUrl, compression }: Config): void {
  const root = baseUrl === undefined ? "" : new URL(baseUrl).pathname.replace(/\/$/, "");
  const fixed: readonly (readonly [Operation, string, string])[] = [
    [document, "application/json", JSON.stringify(openApiDocument(operations, baseUrl))],
    [page, "text/html;charset=utf-8", explorerPage(root)],
    [script, "text/javascript;charset=utf-8", explorerScript],
  ];
  for (const [operation, type, body] of fixed) {
    addRead(routes, operation, (_req, res) => {
      allowPage(res);
      res.setHeader("vary", "accept-encoding");
      sendAnswer(res, ok(type, body), compression);
    });
  }
  for (const operation of files) {
    const file = operation.path.slice("/explorer/".length);
    addRead(routes, operation, (_req, res) => {
      allowPage(res);
      res.sendFile(file, { root: folder, maxAge: "1h" });
    });
  }
}

const allowPage = (res: Response) => void res.setHeader("content-security-policy", explorerPolicy);
