import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import express from "express";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Metrics } from "../src/http/metrics.ts";
import { requestIds } from "../src/http/request-ids.ts";
import { chain } from "../src/http/routes.ts";
import { listen } from "../src/http/server.ts";
import { ask, toCollection } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  const seconds = { CADASTRE_QUERY_SECONDS: "60", CADASTRE_DRAIN_SECONDS: "60" };
  running = await run({ CADASTRE_LISTINGS: "400", ...seconds });
});
afterAll(() => running.stop());

test("a service that stops under load finishes what it has begun, and takes no more", async () => {
  const { baseUrl } = running.service;
  const page = () => ask(baseUrl, "/reso/odata/Property?$top=50", { "x-api-key": running.key("national") });
  let [received, answered] = [0, 0];
  const count = () => {
    received += 1;
  };
  subscribe("http.server.request.start", count);
  const begun = Array.from({ length: 40 }, async () => {
    const reply = await page();
    answered += 1;
    return toCollection(reply).value.length;
  });
  // The service knows of all, the first are answered, and the last ones wait for a thread. Requests that it has not received yet are reset.
  while (received < 40 || answered < 5) await new Promise(setImmediate);
  unsubscribe("http.server.request.start", count);
  const stopped = running.service.stop();
  await expect(page()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  expect(answered).toBeLessThan(40);
  expect(await Promise.all(begun)).toEqual(Array.from({ length: 40 }, () => 50));
  await stopped;
});

test("before it refuses connections, a stopping service says that it is not ready and serves on", async () => {
  const { service, stop, key } = await run({ CADASTRE_LISTINGS: "400", CADASTRE_DRAIN_WAIT_SECONDS: "6" });
  const agent = new Agent({ keepAlive: true });
  const kept = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      get(
        `${service.baseUrl}/health/live`,
        { agent },
        (res) => void res.resume().once("end", () => resolve(res)),
      ).once("error", reject);
    });
  expect((await kept()).headers.connection).toBe("keep-alive");
  const started = performance.now();
  const stopped = stop();
  const readiness = await ask(service.baseUrl, "/health/ready");
  expect([readiness.status, JSON.parse(readiness.text)]).toEqual([
    503,
    { status: "not_ready", reasons: ["stopping"] },
  ]);
  // New connections and new requests are served meanwhile, and kept connections are given up.
  for (let i = 0; i < 3; i += 1) {
    const reply = await ask(service.baseUrl, "/reso/odata/Property?$top=1", { "x-api-key": key("national") });
    expect(reply.status).toBe(200);
    expect((await kept()).headers.connection).toBe("close");
  }
  await stopped;
  expect(performance.now() - started).toBeGreaterThan(5990);
  await expect(ask(service.baseUrl, "/health/live")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  agent.destroy();
});

/** Serves 64 MB, more than any buffer on the way holds. Returns what is logged and counted. */
async function serveDownload() {
  const lines: string[] = [];
  const ends: string[] = [];
  const observe: Metrics["observe"] = ({ end }) => void ends.push(end);
  const app = express();
  app.use(
    chain(
      requestIds(pino({}, { write: (line: string) => void lines.push(line) }), {
        metrics: { observe } as Metrics,
      }),
    ),
    (_req, res) => void res.end(Buffer.alloc(64 * 1024 * 1024)),
  );
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const download = () =>
    new Promise<IncomingMessage>((resolve) => void get({ port: server.port, host: "127.0.0.1" }, resolve));
  const log = () => lines.map((line) => JSON.parse(line) as { level: number; msg: string; status: number });
  return { server, download, log, ends };
}

test("a download that is read in time is finished", async () => {
  const { server, download, log, ends } = await serveDownload();
  const res = await download();
  const stopped = server.stop(60_000);
  await wait(200);
  let length = 0;
  for await (const chunk of res) length += (chunk as Buffer).length;
  await stopped;
  expect([length, log()]).toEqual([
    64 * 1024 * 1024,
    [expect.objectContaining({ msg: "answered", level: 30 })],
  ]);
  expect(ends).toEqual(["answered"]);
});

test("a download that is cut is logged and counted as cut; its client knows by the length", async () => {
  const { server, download, log, ends } = await serveDownload();
  const res = await download();
  await server.stop(200);
  await expect(res.toArray()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(log()).toEqual([
    expect.objectContaining({ msg: "cut, because the service was stopped", level: 40, status: 200 }),
  ]);
  expect(ends).toEqual(["cut"]);
});

test("a download that its client leaves is logged as aborted, also while the service stops", async () => {
  const { server, download, log, ends } = await serveDownload();
  const res = await download();
  const stopped = server.stop(60_000);
  res.destroy();
  await stopped;
  await expect.poll(log).toEqual([expect.objectContaining({ msg: "aborted", level: 30 })]);
  expect(ends).toEqual(["aborted"]);
});

test("a connection without a request does not keep a service from stopping", async () => {
  const { server } = await serveDownload();
  const idle = connect(server.port, "127.0.0.1");
  await once(idle, "connect");
  const started = performance.now();
  await Promise.all([once(idle.resume(), "close"), server.stop(300)]);
  expect(performance.now() - started).toBeLessThan(5000);
});
