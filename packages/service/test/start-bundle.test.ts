import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@cadastre/odata/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Demo } from "../src/demo/demo-file.ts";
import { ask, query } from "./support/ask.ts";
import { customerOf } from "./support/deliveries.ts";
import { end, says, startProgram } from "./support/program.ts";
import { newDataFolder } from "./support/test-database.ts";

let data: string;
let port: number;
beforeAll(async () => {
  data = (await newDataFolder()).path;
  port = await freePort();
});
afterAll(() => rm(data, { recursive: true, force: true }));

const listTools = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const jsonOrEvents = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Requests for what the service reads from files, loads on demand, or has from a thread. */
const requests: readonly (readonly [target: string, body?: string])[] = [
  ["/"],
  ["/openapi.json"],
  ["/reference/swagger-ui.css"],
  ["/.well-known/jwks.json"],
  ["/reso/odata/$metadata"],
  [`/reso/odata/Property${query({ $top: 3, $select: "ListingKey,ListPrice", $count: true })}`],
  [`/reso/odata/Property${query({ $filter: "matchesPattern(City,'^A')", $top: 2, $select: "City" })}`],
  [`/reso/odata/Property${query({ $filter: "City eq (Austin" })}`],
  [`/reso/odata/EntityEvent${query({ $top: 2, $count: true })}`],
  ["/mcp", listTools],
];

/** Starts a compiled program, and returns its answers. */
async function answersOf(program: "main.ts" | "start.ts"): Promise<readonly unknown[]> {
  const service = await startProgram(program, [], {
    CADASTRE_DATA: data,
    CADASTRE_LISTINGS: "60",
    CADASTRE_MCP: "true",
    CADASTRE_EXTENSIONS: "delta,expand,event",
    PORT: String(port),
  });
  await says(service, "Stop with Ctrl-C.");
  const { baseUrl, keys } = JSON.parse(await readFile(join(data, "demo.json"), "utf8")) as Demo;
  const key = (name: string) => keys.find((one) => one.name === name)?.apiKey ?? "";
  const answers: unknown[] = [];
  for (const [target, body] of requests) {
    const headers = { ...(body !== undefined && jsonOrEvents), "x-api-key": key("national") };
    const { status, text } = await ask(baseUrl, target, headers, body === undefined ? "GET" : "POST", body);
    // Each seal of a token is another.
    answers.push([target, status, text.replaceAll(/skiptoken=[\w-]+/g, "skiptoken")]);
  }
  // A child process writes it.
  const { complete, manifest } = customerOf({ service: { baseUrl }, key });
  const { parts } = (await manifest(await complete({ profileId: "listing-parquet" }))).data;
  answers.push(parts.map(({ dataset, rowCount, sha256 }) => [dataset, rowCount, sha256]));
  expect(await end(service, "SIGTERM")).toBe(0);
  return answers;
}

test("the bundle prepares a folder and answers as the compiled modules do, from threads, child processes and files too", async () => {
  const bundled = await answersOf("start.ts");
  const compiled = await answersOf("main.ts");
  expect(bundled).toEqual(compiled);
  const statuses = bundled.slice(0, requests.length).map((answer) => (answer as readonly unknown[])[1]);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 400, 200, 200]);
  expect(bundled.at(-1)).not.toEqual([]);
}, 120_000);
