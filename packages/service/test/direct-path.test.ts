import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { answerDirectly } from "../src/http/direct-path.ts";
import { listen } from "../src/http/server.ts";
import { ask, type Headers } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_CORS_ORIGINS: "https://page.example" });
});
afterAll(() => running.stop());

const own = { "x-api-key": "the key" };
const posted = { ...own, "content-type": "text/plain" };
const preflight = { origin: "https://page.example", "access-control-request-method": "GET" };

const requests: readonly (readonly [method: string, target: string, headers: Headers])[] = [
  ["GET", "/reso/odata", own],
  ["GET", "/reso/odata/", own],
  ["GET", "/reso/odata?$format=json", own],
  ["GET", "/reso/odata/$metadata", { ...own, "accept-encoding": "gzip" }],
  ["GET", "/reso/odata/Property('a-key-of-a-listing')", own],
  ["HEAD", "/reso/odata/Property('a-key-of-a-listing')", own],
  ["GET", "/reso/odata/Property?$top=0&$count=true", { ...own, origin: "https://page.example" }],
  ["GET", "/reso/odata/Property?$filter=Nope%20eq%201", own],
  ["GET", "/reso/odata/Property('%')", own],
  ["GET", "/reso/odata/Property", {}],
  ["GET", "/reso/odata/Property", { ...own, "odata-maxversion": "3.0" }],
  ["GET", "/reso/odata/Property", { ...own, host: "a b" }],
  ["OPTIONS", "/reso/odata/Property", own],
  ["OPTIONS", "/reso/odata/Property", preflight],
  ["DELETE", "/reso/odata/Property", own],
  ["POST", "/reso/odata/Property/$query", posted],
  ["GET", "/v1/account/resources", own],
  ["GET", "/health/live", {}],
  ["GET", "/reso/odatas", own],
];

test.each(requests)(
  "%s %s is answered alike in origin form and in absolute form",
  async (method, path, given) => {
    const { baseUrl } = running.service;
    const apiKey = "x-api-key" in given ? { "x-api-key": running.key("national") } : {};
    const headers = { ...given, ...apiKey, "x-request-id": "same" };
    const answers = [];
    for (const target of [path, `http://a-long-name.example${path}`]) {
      const { headers: told, ...reply } = await ask(
        baseUrl,
        target,
        headers,
        method,
        method === "POST" ? "$top=0" : "",
      );
      const { date: _, "ratelimit-remaining": __, ...rest } = told;
      answers.push({ ...reply, headers: rest });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.headers["x-request-id"]).toBe("same");
  },
);

const handlers: RequestHandler[] = [
  ({ originalUrl }, _res, next) => {
    if (originalUrl === "/direct/thrown") throw new Error("thrown");
    if (originalUrl === "/direct/passed") next(new Error("passed"));
    else next();
  },
  async ({ originalUrl }, res) => {
    if (originalUrl === "/direct/rejected") throw new Error("rejected");
    res.send("answered");
  },
];
const onError: ErrorRequestHandler = (error: Error, _req, res, _next) =>
  void res.status(500).send(error.message);

/** Starts an application that answers paths under `/direct` by these handlers, with the router or before it. */
async function start(isDirect: boolean): Promise<string> {
  const app = express();
  if (!isDirect) app.use("/direct", handlers);
  app.use("/routed", (req, res) => void res.send(req.url));
  app.use(onError);
  if (isDirect) answerDirectly(app, { matches: (url) => url.startsWith("/direct"), handlers, onError });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop(0));
  return `http://127.0.0.1:${server.port}`;
}

test.each([
  ["/direct/thrown", 500, "thrown"],
  ["/direct/passed", 500, "passed"],
  ["/direct/rejected", 500, "rejected"],
  ["/direct/answered", 200, "answered"],
  ["/routed/by-express", 200, "/by-express"],
])("%s is answered without the router as by it", async (path, status, text) => {
  const [direct, routed] = [await start(true), await start(false)];
  for (const baseUrl of [direct, routed]) expect(await ask(baseUrl, path)).toMatchObject({ status, text });
});

test("an application that is mounted in another one answers the paths below its own", async () => {
  const inner = express();
  answerDirectly(inner, { matches: (url) => url.startsWith("/direct"), handlers, onError });
  inner.use((req, res) => void res.send(req.originalUrl));
  const outer = express();
  outer.use("/below", inner);
  const server = await listen(outer, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.stop(0));
  const answers = ["/below/direct/answered", "/below/other"].map((path) =>
    ask(`http://127.0.0.1:${server.port}`, path),
  );
  expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(["answered", "/other"]);
});
