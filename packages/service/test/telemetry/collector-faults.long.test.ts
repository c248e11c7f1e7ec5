import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { pino } from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { Demo } from "../../src/demo/demo-file.ts";
import { writeOtlpRequest } from "../../src/telemetry/otlp-json.ts";
import { startTracing } from "../../src/telemetry/otlp-tracing.ts";
import type { Tracing } from "../../src/telemetry/tracing.ts";
import { ask } from "../support/ask.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { end, says, startProgram } from "../support/program.ts";
import { run } from "../support/running.ts";

type Environment = Readonly<Record<string, string>>;

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function collect(status?: number | "none"): Promise<Collector> {
  const collector = await startCollector(status);
  opened.push(collector.stop);
  return collector;
}

/** Starts traces alone, with a log that is kept. */
function startTraces(environment: Environment): { readonly tracing: Tracing; readonly log: () => string } {
  const lines: string[] = [];
  const into = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const options = readConfig(environment).tracing;
  if (options === undefined) throw new RangeError("no traces");
  const tracing = startTracing(options, pino(into));
  opened.push(tracing.stop);
  return { tracing, log: () => lines.join("") };
}

/** Records a request of one span. Returns false if it was not recorded. */
function record(tracing: Tracing, traceparent?: string): boolean {
  const span = tracing.request(traceparent, performance.now())?.span;
  span?.end(performance.now());
  return span !== undefined;
}

/** Returns the time that a promise takes, in milliseconds. */
async function timeOf(work: Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work;
  return performance.now() - started;
}

/** An address that refuses connections: of a server that has stopped. */
async function deadUrl(): Promise<string> {
  const { url, stop } = await startCollector();
  await stop();
  return url;
}

describe("a collector that is", () => {
  test.each([
    ["dead", deadUrl, 500],
    ["slow", async () => (await collect("none")).url, 2000],
  ] as const)("%s delays no request, and not the stop", async (_, urlOf, most) => {
    const running = await run({
      CADASTRE_LISTINGS: "50",
      OTEL_EXPORTER_OTLP_ENDPOINT: await urlOf(),
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=dont-tell",
      OTEL_BSP_SCHEDULE_DELAY: "20",
      OTEL_BSP_MAX_QUEUE_SIZE: "50",
    });
    const headers = { "x-api-key": running.key("market") };
    const times: number[] = [];
    for (let i = 0; i < 40; i++)
      times.push(await timeOf(ask(running.service.baseUrl, "/reso/odata/Property?$top=1", headers)));
    // Each of them would wait for the collector if one did.
    expect(times.toSorted((a, b) => a - b)[20]).toBeLessThan(200);
    expect(await timeOf(running.service.stop())).toBeLessThan(most);
    await running.stop();
    const told = running
      .log()
      .split("\n")
      .filter((line) => line.includes("could not send traces"));
    expect(told).toHaveLength(1);
    expect(running.log()).not.toContain("dont-tell");
  });

  test.each([
    [400, "status 400", 1],
    [503, "status 503", 2],
  ] as const)(
    "refusing with %i is told once, and is asked again only if that may help",
    async (status, reason, asked) => {
      const collector = await collect(status);
      const { tracing, log } = startTraces({
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_TIMEOUT: "1500",
        OTEL_BSP_SCHEDULE_DELAY: "10",
      });
      record(tracing);
      await expect.poll(log, { timeout: 5000 }).toContain("could not send traces");
      expect(log()).toContain(`"reason":"${reason}","lost":1`);
      expect(collector.headers().length).toBeGreaterThanOrEqual(asked);
      record(tracing);
      await setTimeout(100);
      expect(log().split("could not send traces")).toHaveLength(2);
    },
  );

  test("back is told, with what was lost", async () => {
    const { url, stop } = await startCollector();
    const { tracing, log } = startTraces({
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      OTEL_EXPORTER_OTLP_TIMEOUT: "100",
      OTEL_BSP_SCHEDULE_DELAY: "10",
    });
    await stop();
    record(tracing);
    await expect.poll(log, { timeout: 5000 }).toContain("could not send traces");
    const { createServer } = await import("node:http");
    const back = createServer((req, res) => void req.resume().on("end", () => res.end("{}")));
    back.listen(Number(new URL(url).port), "127.0.0.1");
    opened.push(() => {
      back.closeAllConnections();
      back.close();
    });
    record(tracing);
    await expect.poll(log, { timeout: 5000 }).toContain('"lost":1,"msg":"traces are sent again"');
  });

  test("slow lets a bounded number of spans wait", async () => {
    const collector = await collect("none");
    const { tracing } = startTraces({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_MAX_QUEUE_SIZE: "20",
      OTEL_BSP_SCHEDULE_DELAY: "10",
    });
    for (let i = 0; i < 500; i++) record(tracing);
    await expect.poll(() => collector.headers().length).toBeGreaterThan(0);
    await tracing.stop();
    const sent = collector.text().split('"spanId"').length - 1;
    expect(sent).toBeLessThanOrEqual(40);
  });
});

describe("a client that is not trusted", () => {
  const sampled = "00-00000000000000000000000000000001-b7ad6b7169203331-01";
  const notSampled = "00-ffffffff000000000000000000000000-b7ad6b7169203331-00";

  test.each([
    ["parentbased_always_off", false, sampled, false],
    ["parentbased_always_off", true, sampled, true],
    ["parentbased_always_on", false, notSampled, true],
    ["parentbased_always_on", true, notSampled, false],
    ["always_on", true, notSampled, true],
    ["always_off", true, sampled, false],
    ["traceidratio", true, sampled, true],
    ["traceidratio", true, notSampled, false],
  ] as const)("%s, trusted: %s, %s: recorded %s", async (sampler, isTrusted, traceparent, isRecorded) => {
    const { tracing } = startTraces({
      OTEL_EXPORTER_OTLP_ENDPOINT: (await collect()).url,
      OTEL_TRACES_SAMPLER: sampler,
      ...(sampler === "traceidratio" ? { OTEL_TRACES_SAMPLER_ARG: "0.5" } : {}),
      CADASTRE_TRUST_TRACEPARENT: String(isTrusted),
    });
    expect(record(tracing, traceparent)).toBe(isRecorded);
    // The log has the id that the client knows in any case.
    expect(tracing.request(traceparent, performance.now())?.traceId).toBe(traceparent.slice(3, 35));
  });

  test.each(["traceidratio", "parentbased_traceidratio"])(
    "%s: cannot choose an id that is recorded",
    async (sampler) => {
      const { tracing } = startTraces({
        OTEL_EXPORTER_OTLP_ENDPOINT: (await collect()).url,
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: "0.25",
      });
      const shareOf = (traceparent?: string) =>
        Array.from({ length: 2000 }, () => record(tracing, traceparent)).filter((one) => one).length / 2000;
      for (const one of [sampled, notSampled, undefined])
        expect(Math.abs(shareOf(one) - 0.25)).toBeLessThan(0.06);
    },
  );

  test.each(["", "00-0-0-0", `${sampled},${sampled}`, sampled.replace("1-b", "g-b")])(
    "the malformed header `%s` is ignored",
    async (header) => {
      const { tracing } = startTraces({
        OTEL_EXPORTER_OTLP_ENDPOINT: (await collect()).url,
        OTEL_TRACES_SAMPLER: "always_off",
      });
      expect(tracing.request(header, performance.now())).toBeUndefined();
    },
  );
});

test("spans are written as OpenTelemetry's own exporter writes them", () => {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "x", "process.pid": 7 }),
    spanProcessors: [new SimpleSpanProcessor({ exporter: memory })],
  });
  const tracer = provider.getTracer("cadastre");
  const remote = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", traceFlags: 1 };
  const root = tracer.startSpan(
    "GET /x",
    { kind: 1, startTime: 1_700_000_000_000.25, attributes: { "http.route": "/x", status: 200 } },
    trace.setSpanContext(ROOT_CONTEXT, { ...remote, isRemote: true }),
  );
  const child = tracer.startSpan("run", {}, trace.setSpan(ROOT_CONTEXT, root));
  child.setStatus({ code: 2, message: "internal_error" });
  child.end();
  root.end(1_700_000_001_000);
  const spans = memory.getFinishedSpans();
  const theirs: unknown = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans)));
  const ours: unknown = JSON.parse(writeOtlpRequest(spans));
  expect(spans).toHaveLength(2);
  expect(withoutEmpty(ours)).toEqual(withoutEmpty(theirs));
});

/** Leaves out lists and counts that are empty, as receivers read them. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(
    ([name, member]) => !(/^dropped\w+Count$/.test(name) || (Array.isArray(member) && member.length === 0)),
  );
  return Object.fromEntries(members.map(([name, member]) => [name, withoutEmpty(member)]));
};

describe("several processes", () => {
  async function start(environment: Environment) {
    const data = await mkdtemp(join(tmpdir(), "cadastre-traces-"));
    opened.push(() => rm(data, { recursive: true, force: true }));
    const program = await startProgram("main.ts", [], {
      PORT: "0",
      CADASTRE_DATA: data,
      CADASTRE_LISTINGS: "100",
      CADASTRE_PROCESSES: "2",
      OTEL_BSP_SCHEDULE_DELAY: "600000",
      ...environment,
    });
    opened.push(() => end(program, "SIGKILL"));
    await says(program, "Stop with Ctrl-C.");
    const { baseUrl, keys } = JSON.parse(await readFile(join(data, "demo.json"), "utf8")) as Demo;
    const key = keys.find(({ name }) => name === "national")?.apiKey ?? "";
    const headers = { "x-api-key": key };
    for (let i = 0; i < 8; i++)
      expect((await ask(baseUrl, "/reso/odata/Property?$top=1", headers)).status).toBe(200);
    return { program, data, baseUrl, headers };
  }

  test("send what they have recorded when they are stopped", async () => {
    const collector = await collect();
    const { program } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "two" });
    expect(collector.headers()).toEqual([]);
    expect(await end(program, "SIGTERM")).toBe(0);
    const traces = collector.traces("GET /reso/odata/{entitySet}");
    expect(traces).toHaveLength(8);
    expect(new Set(traces.map(({ resource }) => resource["service.instance.id"])).size).toBe(2);
    expect(new Set(traces.map(({ resource }) => resource["service.name"]))).toEqual(new Set(["two"]));
  });

  test("a worker of its own sends its traces too", async () => {
    const collector = await collect();
    const { data, baseUrl, headers } = await start({ CADASTRE_WORKER: "false", CADASTRE_PROCESSES: "1" });
    const worker = await startProgram("cli/main.ts", ["worker"], {
      CADASTRE_DATA: data,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "600000",
    });
    opened.push(() => end(worker, "SIGKILL"));
    const body = '{"domain":"listing","deliveryMode":"pull","idempotencyKey":"key-1"}';
    const json = { ...headers, "content-type": "application/json" };
    const asked = await ask(baseUrl, "/v1/file-exports", json, "POST", body);
    const { id } = (JSON.parse(asked.text) as { readonly data: { readonly id: string } }).data;
    const status = async () => (await ask(baseUrl, `/v1/file-exports/${id}`, headers)).text;
    await expect.poll(status, { timeout: 60_000 }).toContain('"complete"');
    expect(await end(worker, "SIGTERM")).toBe(0);
    const [build] = collector.traces("build");
    expect(build?.attributes).toEqual({ "cadastre.delivery.id": id, "cadastre.outcome": "complete" });
    expect(build?.resource["process.pid"]).toBe(worker.child.pid);
  });

  test("end soon although the collector does not answer", async () => {
    const collector = await collect("none");
    const { program } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    expect(await timeOf(end(program, "SIGTERM"))).toBeLessThan(6000);
    expect(collector.headers()).toHaveLength(2);
  });
});
