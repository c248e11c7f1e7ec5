import { Validator } from "@seriousme/openapi-schema-validator";
import type { Express } from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp, type Services } from "../src/app.ts";
import { readConfig } from "../src/config.ts";
import { createLog } from "../src/log.ts";
import { ask, type Reply } from "./support/ask.ts";
import { customerOf, dataOf } from "./support/deliveries.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
let document: Document;

type Parameter = { readonly name: string; readonly in: string; readonly example?: string };
type OperationObject = {
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
};
/** As much of a schema as the JSON endpoints use. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
};
type Document = { readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>> };

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200", CADASTRE_PUSH: "true" });
  base = running.service.baseUrl;
  document = JSON.parse((await ask(base, "/openapi.json")).text) as Document;
});
afterAll(() => running.stop());

test("the document is one of OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect([valid, errors]).toEqual([true, undefined]);
  expect(validator.version).toBe("3.1");
});

/** Paths of all routes that the application has, as Express keeps them. */
const routesOf = (app: Express): readonly string[] =>
  app.router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));

test("no route of the application is missing from it", () => {
  const config = readConfig({ CADASTRE_LOG_LEVEL: "silent" });
  const log = createLog("silent");
  const routes = routesOf(
    createApp({ config, log, readiness: { reasons: async () => [] } } as unknown as Services),
  );
  expect(routes).toContain("/health/ready");
  for (const route of routes) expect(Object.keys(document.paths)).toContain(route);
});

/** Bodies that addresses with `POST` answer, by address or media type. */
const bodies: Record<string, string> = {
  "text/plain": "$top=1",
  "application/json": '{"requests":[]}',
  "/v1/file-exports": '{"domain":"listing","deliveryMode":"pull","idempotencyKey":"one"}',
  "/v1/file-export-subscriptions":
    '{"name":"one","domain":"listing","deliveryMode":"pull","cadenceSeconds":86400}',
  "/v1/file-export-destinations": JSON.stringify(placeOf("one")),
  "/v1/file-export-destinations/{id}/rotate": "{}",
  "/v1/webhooks": '{"url":"https://hooks.invalid/one"}',
};

/** A place to push to, as a request names it. */
function placeOf(prefix: string) {
  const roleArn = "arn:aws:iam::111122223333:role/cadastre/file-delivery/exports";
  return { bucket: "brokerage-exports", region: "us-west-2", prefix, roleArn };
}

/** A delivery, leave to fetch a part of it, a subscription, a destination and a webhook. */
let [delivery, token, subscription, destination, webhook] = ["", "", "", "", ""];
/** Hashes that a manifest names, by the path of their documents. */
const manifest = new Map<string, string>();
beforeAll(async () => {
  const customer = customerOf(running);
  delivery = await customer.complete();
  token = await customer.grant(delivery, 0);
  const subscribed = { name: "other", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
  subscription = dataOf<{ id: string }>(await customer.post("/v1/file-export-subscriptions", subscribed)).id;
  destination = dataOf<{ id: string }>(
    await customer.post("/v1/file-export-destinations", placeOf("other")),
  ).id;
  webhook = dataOf<{ id: string }>(
    await customer.post("/v1/webhooks", { url: "https://hooks.invalid/other" }),
  ).id;
  const { data, meta } = await customer.manifest(delivery);
  manifest.set("/v1/schemas", data.schema.sha256);
  manifest.set("/v1/disclaimers", data.attribution[0]?.disclaimerSha256 ?? "");
  const said = { generation: 1, sequence: 0, manifest_sha256: meta.manifest_sha256, customer_reference: "" };
  bodies["/v1/file-exports/{id}/acknowledge"] = JSON.stringify(said);
});

function send(path: string, method: string, operation: OperationObject): Promise<Reply> {
  const examples = new Map(operation.parameters?.map(({ name, example }) => [name, example]));
  for (const name of ["key", "listing_key"]) examples.set(name, running.service.examples?.listingKey);
  const [root = ""] = path.split("/{", 1);
  const ids: Record<string, string> = {
    "/v1/file-exports": delivery,
    "/v1/file-export-subscriptions": subscription,
    "/v1/file-export-destinations": destination,
    "/v1/webhooks": webhook,
  };
  examples.set("id", ids[root] ?? running.service.examples?.placekey);
  const named = manifest.get(root);
  if (named !== undefined) examples.set("sha256", named);
  if (root === "/v1/profiles") examples.set("id", "listing-jsonl");
  const parts = path.endsWith("/download") ? "?part=0" : "";
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => String(examples.get(name))) + parts;
  const key = operation.security === undefined ? { "x-api-key": running.key("national") } : {};
  const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? "";
  const bearer = path.endsWith("/redeem") ? { authorization: `Bearer ${token}` } : {};
  const headers = { ...key, ...bearer, ...(type === "" ? {} : { "content-type": type }) };
  const body = type === "" ? undefined : (bodies[path] ?? bodies[type]);
  return ask(base, target, headers, method.toUpperCase(), body);
}

test("what it says is answered, with a media type that it says, and by key alone unless it says otherwise", async () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      // What is complete cannot be canceled: see the tests of deliveries.
      if (method === "delete") continue;
      const reply = await send(path, method, operation);
      const [status = ""] = Object.keys(operation.responses);
      const type = String(reply.headers["content-type"]).split(";", 1)[0];
      expect([path, reply.status]).toEqual([path, Number(status)]);
      expect(Object.keys(operation.responses[status]?.content ?? {})).toContain(type);
      if (operation.security !== undefined) continue;
      expect((await ask(base, path, {}, method.toUpperCase())).status).toBe(401);
    }
  }
});

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

/** Where a value is not what the schema says, and what is there. */
function strays(value: unknown, schema: Schema, at = ""): readonly string[] {
  const type = typeOf(value);
  const types = schema.type === undefined ? [type] : [schema.type].flat();
  const fits = types.includes(type) || (type === "integer" && types.includes("number"));
  if (!fits) return [`${at}: ${type}`];
  if (Array.isArray(value)) return value.flatMap((item) => strays(item, schema.items ?? {}, `${at}[]`));
  if (type !== "object") return [];
  const members = Object.entries(value as Readonly<Record<string, unknown>>);
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const missing = required.filter((name) => members.every(([member]) => member !== name));
  return [
    ...missing.map((name) => `${at}.${name}: missing`),
    ...members.flatMap(([name, member]) => {
      const known = properties[name];
      if (known !== undefined) return strays(member, known, `${at}.${name}`);
      return additionalProperties ? [] : [`${at}.${name}: unknown`];
    }),
  ];
}

test("the JSON endpoints answer what its schemas say", async () => {
  const schemaOf = (get?: OperationObject) => get?.responses["200"]?.content["application/json"]?.schema;
  const paths = Object.entries(document.paths).filter(
    ([path, { get }]) => path.startsWith("/v1/") && schemaOf(get) !== undefined,
  );
  expect(paths).toHaveLength(20);
  for (const [path, { get }] of paths) {
    const schema = schemaOf(get);
    if (get === undefined || schema === undefined) throw new Error(`${path} has no schema`);
    expect([path, [...new Set(strays(JSON.parse((await send(path, "get", get)).text), schema))]]).toEqual([
      path,
      [],
    ]);
  }
});

test("the options of an address are those that it takes", async () => {
  const { parameters = [] } = document.paths["/reso/odata/{entitySet}/$count"]?.["get"] ?? { parameters: [] };
  const names = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  expect(names.toSorted()).toEqual(["$filter", "$format", "$ignorecase", "placekey"]);
});

test("the document tells what everyone may know: no field, and no set but the example", () => {
  const text = JSON.stringify(document);
  expect(text).not.toMatch(/ListAgentKey|PrivateRemarks|OpenHouse|Member/);
});

test("the page loads what this service serves, under a policy that allows no more", async () => {
  const page = await ask(base, "/reference");
  expect(page.headers["content-type"]).toBe("text/html;charset=utf-8");
  const links = [...page.text.matchAll(/(?:src|href|data-document)="([^"]*)"/g)].map(([, link = ""]) => link);
  expect(links.length).toBe(5);
  for (const link of links) {
    expect(link).toMatch(/^\/(?!\/)/);
    expect((await ask(base, link)).status).toBe(200);
  }
  const policy = String(page.headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none';script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  expect(page.text).not.toMatch(/<script>|\son\w+=/);
  expect(page.text).toMatch(/<html lang="en">.*<title>[^<]+<\/title>/s);
});

test("the page's program is sent compressed, and once", async () => {
  const target = "/reference/swagger-ui-bundle.js";
  const plain = await ask(base, target);
  const coded = await ask(base, target, { "accept-encoding": "br" });
  expect(coded.headers["content-encoding"]).toBe("br");
  expect(coded.headers["vary"]).toContain("accept-encoding");
  expect(Number(coded.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 3);
  const again = await ask(base, target, { "if-none-match": String(coded.headers["etag"]) });
  expect([again.status, again.text]).toEqual([304, ""]);
});

test("the earlier address of the page leads to it", async () => {
  const { status, headers } = await ask(base, "/explorer");
  expect([status, headers["location"]]).toEqual([308, "/reference"]);
});

test("nothing else of the package is served", async () => {
  for (const path of [
    "/reference/package.json",
    "/reference/index.html",
    "/reference/../package.json",
    "/explorer/x",
  ])
    expect((await ask(base, path)).status).toBe(401);
});
