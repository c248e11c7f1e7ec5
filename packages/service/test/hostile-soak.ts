/*
 * Sends mutated requests (aliases, options, batches in JSON and in parts, headers, bodies) to a service in a process of
 * its own. None may be answered with 500, or hold the service's event loop for more than 50 ms of CPU time.
 *
 *   npm run fuzz -- [requests] [first seed]
 *
 * Each thousand is printed with its seed: to go on after a stop, begin with the next one.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@cadastre/odata/testing";
import fc from "fast-check";
import type { Demo } from "../src/demo/demo-file.ts";
import { type Block, type BlockReport, blockLimit } from "./support/block-monitor.ts";
import { type HostileRequest, hostileRequest } from "./support/hostile-requests.ts";

const [requests = 1_000_000, firstSeed = 1] = process.argv.slice(2).map(Number);
const requestsOfASeed = 1000;
/** Code is compiled when it runs for the first time: blocks of these are not counted. */
const warmUp = 2000;
const connections = 8;

const folder = await mkdtemp(join(tmpdir(), "cadastre-hostile-"));
const port = await freePort();
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const service = fork(path("../src/main.ts"), [], {
  execArgv: [
    "--conditions=@cadastre/source",
    ...["../../../scripts/source.mjs", "./support/block-monitor.ts"].flatMap((file) => [
      "--import",
      path(file),
    ]),
  ],
  env: {
    ...process.env,
    PORT: String(port),
    CADASTRE_DATA: folder,
    CADASTRE_LISTINGS: "300",
    CADASTRE_LOG_LEVEL: "silent",
    CADASTRE_REQUESTS_PER_SECOND: "0",
    CADASTRE_REFUSALS_PER_SECOND: "0",
    CADASTRE_CHECK_HOURS: "0",
  },
  stdio: ["ignore", "ignore", "inherit", "ipc"],
});

const agent = new Agent({ keepAlive: true, maxSockets: connections });

function send({ method, target, headers, body }: HostileRequest, apiKey: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: "127.0.0.1", method, path: target };
    const sent = request({ ...options, headers: { ...headers, "x-api-key": apiKey } }, (res) => {
      res.on("error", reject).on("end", () => resolve(res.statusCode ?? 0));
      res.resume();
    });
    // A body that is too long is answered before all of it is read, and its connection ends.
    sent.on("error", (error: NodeJS.ErrnoException) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(0) : reject(error),
    );
    sent.end(body);
  });
}

const clipped = (text: string): string =>
  text.length > 200 ? `${text.slice(0, 200)}… (${text.length})` : text;

const shown = ({ method, target, headers, body }: HostileRequest): string => {
  const short = Object.entries(headers).map(([name, value]) => `${name}: ${clipped(value).slice(0, 60)}`);
  return JSON.stringify([method, clipped(target), short.join("; "), clipped(body)]);
};

async function isReady(): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function start(): Promise<string> {
  while (!(await isReady())) {
    if (service.exitCode !== null) throw new Error("the service did not start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const demo = JSON.parse(await readFile(join(folder, "demo.json"), "utf8")) as Demo;
  return demo.keys[0]?.apiKey ?? "";
}

async function report(child: ChildProcess): Promise<BlockReport> {
  child.send("report");
  for (;;) {
    const [message] = (await once(child, "message")) as [Block | BlockReport];
    if ("longest" in message) return message;
  }
}

const apiKey = await start();
const statuses = new Map<number, number>();
const recent: HostileRequest[] = [];
const suspects = new Set<HostileRequest>();
let [failures, blocks] = [0, 0];

service.on("message", (message: Block | BlockReport) => {
  if ("block" in message) for (const sent of recent) suspects.add(sent);
});

/** Sends each request around a block again, alone: one that blocks three times out of three is at fault, and no garbage collection. */
async function trySuspects(): Promise<void> {
  const tried = [...suspects];
  for (const suspect of tried) {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3 && least > blockLimit; i += 1) {
      service.send("reset");
      await send(suspect, apiKey);
      await new Promise((resolve) => setTimeout(resolve, 20));
      least = Math.min(least, (await report(service)).longest);
    }
    if (least <= blockLimit) continue;
    blocks += 1;
    console.error(`block of ${least.toFixed(0)} ms: ${shown(suspect)}`);
  }
  suspects.clear();
}

async function sendAll(seed: number, numRuns: number): Promise<void> {
  const queue = fc.sample(hostileRequest, { seed, numRuns });
  const worker = async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      recent.push(next);
      if (recent.length > connections * 2) recent.shift();
      const status = await send(next, apiKey);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status < 500 || status === 501) continue;
      failures += 1;
      console.error(`${status}: ${shown(next)}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
}

await sendAll(firstSeed - 1, warmUp);
statuses.clear();
suspects.clear();
failures = 0;
const began = performance.now();
for (let done = 0, seed = firstSeed; done < requests; seed += 1) {
  const count = Math.min(requestsOfASeed, requests - done);
  await sendAll(seed, count);
  await trySuspects();
  done += count;
  const rate = ((done * 1000) / (performance.now() - began)).toFixed(0);
  console.log(`seed ${seed}: ${done} requests, ${rate} a second`);
}
const { rss } = await report(service);
agent.destroy();
// Its channel would keep the process alive.
service.disconnect();
const closed = once(service, "exit");
service.kill("SIGTERM");
await closed;
await rm(folder, { recursive: true, force: true });
const told = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
console.log(`answers by status: ${told.join(", ")}`);
console.log(
  `${failures} failures, ${blocks} requests that hold the event loop for more than ${blockLimit} ms of CPU time; ` +
    `memory at the end ${(rss / 1e6).toFixed(0)} MB`,
);
process.exitCode = failures === 0 && blocks === 0 ? 0 : 1;
