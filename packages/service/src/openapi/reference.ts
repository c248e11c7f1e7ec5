import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { IRouter } from "express";
import type { Config } from "../config.ts";
import { deliveryEndpoints } from "../delivery/endpoints.ts";
import { keySetOperation } from "../delivery/key-set.ts";
import { toOperation } from "../endpoint/operation.ts";
import { explorerOperations } from "../explorer/operations.ts";
import { fixedAnswer } from "../http/fixed-answer.ts";
import { healthOperations } from "../http/health.ts";
import { type Operation, openRead } from "../http/operation.ts";
import { rootPathOf } from "../http/root-path.ts";
import { addRead } from "../http/routes.ts";
import { odataOperations } from "../odata/operations.ts";
import { v1Endpoints } from "../v1/endpoints.ts";
import { openApiDocument } from "./document.ts";
import { referencePage, referencePolicy, referenceScript } from "./reference-page.ts";

const document = openRead("/openapi.json", "This document", "application/json");
const page = openRead("/reference", "A page to try requests with", "text/html");
const script = openRead("/reference/start.js", "Starts the page", "text/javascript");
/** Files of the package `swagger-ui-dist` that the page loads. */
const files: readonly Operation[] = [
  openRead("/reference/swagger-ui-bundle.js", "The page's program", "text/javascript"),
  openRead("/reference/swagger-ui.css", "The page's style", "text/css"),
];

/** Returns all operations of the service. */
const operationsOf = ({ extensions }: Pick<Config, "extensions">): readonly Operation[] => [
  ...odataOperations(extensions),
  ...[...v1Endpoints, ...deliveryEndpoints].map(toOperation),
  keySetOperation,
  ...healthOperations,
  ...explorerOperations,
  document,
  page,
  script,
  ...files,
];

const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

/** Adds routes for the OpenAPI document and for Swagger UI. They need no API key, and load nothing from other hosts. */
export function addReference(routes: IRouter, config: Config): void {
  const { baseUrl, compression } = config;
  const root = rootPathOf(baseUrl);
  const policy = { "content-security-policy": referencePolicy };
  const fixed: readonly (readonly [Operation, contentType: string, body: () => string])[] = [
    [document, "application/json", () => JSON.stringify(openApiDocument(operationsOf(config), baseUrl))],
    [page, "text/html;charset=utf-8", () => referencePage(root)],
    [script, "text/javascript;charset=utf-8", () => referenceScript],
  ];
  for (const [operation, contentType, body] of fixed)
    addRead(routes, operation, fixedAnswer({ contentType, body, headers: policy }, compression));
  for (const operation of files) {
    const contentType = `${Object.keys(operation.gives).join()};charset=utf-8`;
    const body = () => readFileSync(join(folder, operation.path.slice("/reference/".length)));
    const headers = { ...policy, "cache-control": "public, max-age=3600" };
    addRead(routes, operation, fixedAnswer({ contentType, body, headers }, compression));
  }
  // Address of the page in earlier releases.
  routes.use("/explorer", (req, res, next) => {
    if (req.path === "/") res.redirect(308, `${root}/reference`);
    else next();
  });
}
