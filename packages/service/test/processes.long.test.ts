import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort, hasPostgres, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Demo } from "../src/demo/demo-file.ts";
import { ask, query } from "./support/ask.ts";
import { end, type Program, runProgram, says, startProgram } from "./support/program.ts";
import { newDataFolder } from "./support/test-database.ts";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "cadastre-processes-"));
});
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

type Environment = Readonly<Record<string, string>>;

type Service = {
  readonly program: Program;
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly key: string;
};

async function start(data: string, environment: Environment): Promise<Service> {
  const adminPort = String(await freePort());
  const program = await startProgram("start.ts", [], {
    PORT: "0",
    CADASTRE_DATA: data,
    CADASTRE_LISTINGS: "300",
    CADASTRE_ADMIN_PORT: adminPort,
    CADASTRE_PROCESSES: "2",
    CADASTRE_REQUESTS_PER_SECOND: "0",
    ...environment,
  });
  await says(program, "Stop with Ctrl-C.");
  const demo = JSON.parse(await readFile(join(data, "demo.json"), "utf8")) as Demo;
  return {
    program,
    baseUrl: demo.baseUrl,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    key: demo.keys[0]?.apiKey ?? "",
  };
}

/** Returns the lines of the log, whole ones alone. */
const logOf = ({ output }: Program) =>
  output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

const pidsOf = async (pid: number | undefined): Promise<readonly number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").map(Number);

/** Sends requests over one connection. */
function client(baseUrl: string, key: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = new URL(baseUrl);
  return {
    get: (path: string) =>
      new Promise<number>((resolve, reject) => {
        const asked = get({ host: "127.0.0.1", port, path, agent, headers: { "x-api-key": key } }, (res) => {
          // An answer that is cut is an error of the answer, not of the request.
          res.resume().on("error", reject);
          res.on("end", () => resolve(res.statusCode ?? 0));
        });
        // A connection that is handed to a process while it is killed is not answered.
        asked.setTimeout(20_000, () => asked.destroy(new Error("no answer")));
        asked.on("error", reject);
      }),
    close: () => agent.destroy(),
  };
}

const targets = [
  "/reso/odata/Property",
  `/reso/odata/Property${query({ $top: 20, $filter: "ListPrice gt 300000", $count: true, $orderby: "ListPrice" })}`,
  `/reso/odata/Media${query({ $top: 10 })}`,
  "/reso/odata/$metadata",
  "/reso/odata",
];

/** Returns the sum of a metric over its labels. */
const sumOf = (text: string, name: string): number =>
  [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );

describe("two processes", () => {
  let data: string;
  let service: Service;
  beforeAll(async () => {
    data = (await newDataFolder()).path;
    service = await start(data, {});
  });
  afterAll(async () => {
    if (service?.program.child.exitCode === null) await end(service.program, "SIGKILL");
    await rm(data, { recursive: true, force: true });
  });

  test("give the same answers, and are counted together", async () => {
    const { baseUrl, adminUrl, key, program } = service;
    const headers = { "x-api-key": key };
    const { text: before } = await ask(adminUrl, "/metrics");
    for (const target of targets) {
      const answers = new Set<string>();
      for (let i = 0; i < 4; i += 1) {
        const { status, text } = await ask(baseUrl, target, headers);
        expect(status).toBe(200);
        answers.add(text.replaceAll(/\$skiptoken=[\w%-]+/g, ""));
      }
      expect([target, answers.size]).toEqual([target, 1]);
    }
    const { text: after } = await ask(adminUrl, "/metrics");
    const name = "cadastre_http_request_duration_seconds_count";
    expect(sumOf(after, name) - sumOf(before, name)).toBe(4 * targets.length);
    expect(sumOf(after, "cadastre_processes")).toBe(2);
    expect(sumOf(after, "cadastre_not_ready")).toBe(0);
    await expect
      .poll(
        () => new Set(logOf(program).flatMap(({ process, msg }) => (msg === "answered" ? [process] : []))),
      )
      .toEqual(new Set([0, 1]));
    expect(program.output().match(/Cadastre is serving/g)).toHaveLength(1);
    expect(program.output().match(/Prepared 300 sample listings/g)).toHaveLength(1);
  });

  test("refuse a revoked key within two seconds", async () => {
    const { baseUrl } = service;
    const cli = (...args: readonly string[]) => runProgram("cli/main.ts", args, { CADASTRE_DATA: data });
    const made = JSON.parse((await cli("key", "create", "demo-market", "--json")).stdout) as {
      readonly id: string;
      readonly apiKey: string;
    };
    const clients = [1, 2, 3, 4].map(() => client(baseUrl, made.apiKey));
    for (const { get: ask } of clients) expect(await ask("/reso/odata")).toBe(200);
    expect((await cli("key", "revoke", made.id, "--yes")).code).toBe(0);
    await setTimeout(2000);
    for (const { get: ask, close } of clients) {
      expect(await ask("/reso/odata")).toBe(401);
      close();
    }
  });

  test("go on if one is killed under load, and it is replaced", async () => {
    const { baseUrl, adminUrl, key, program } = service;
    const [victim = 0] = await pidsOf(program.child.pid);
    const path = targets[1] ?? "";
    const statuses = new Map<number | string, number>();
    let isOver = false;
    const asking = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        const { get: ask, close } = client(baseUrl, key);
        try {
          for (let i = 0; i < 10; i += 1) {
            const status = await ask(path);
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        } catch {
          statuses.set("lost", (statuses.get("lost") ?? 0) + 1);
        }
        close();
      }
    });
    await setTimeout(500);
    const { text: before } = await ask(adminUrl, "/metrics");
    process.kill(victim, "SIGKILL");
    await expect.poll(async () => (await pidsOf(program.child.pid)).length).toBe(2);
    await expect
      .poll(async () => sumOf((await ask(adminUrl, "/metrics")).text, "nodejs_heap_size_total_bytes"))
      .toBeGreaterThan(0);
    await setTimeout(1500);
    isOver = true;
    await Promise.all(asking);
    expect([...statuses.keys()].filter((status) => status !== "lost")).toEqual([200]);
    // Only what the killed process was answering.
    expect(statuses.get("lost") ?? 0).toBeLessThanOrEqual(6);
    const { text: after } = await ask(adminUrl, "/metrics");
    const name = "cadastre_http_request_duration_seconds_count";
    expect(sumOf(after, name)).toBeGreaterThan(sumOf(before, name));
    expect(sumOf(after, "cadastre_processes_replaced_total")).toBe(1);
    const ended = logOf(program).filter(({ msg }) => String(msg).startsWith("a process has ended"));
    expect(ended).toMatchObject([{ pid: victim, signal: "SIGKILL" }]);
  });

  test("finish what they have begun when they are stopped", async () => {
    const { baseUrl, key, program } = service;
    const clients = Array.from({ length: 8 }, () => client(baseUrl, key));
    for (const { get: ask } of clients) expect(await ask("/reso/odata")).toBe(200);
    const begun = clients.map(({ get: ask }) => ask("/reso/odata/Property?$top=200"));
    await setTimeout(30);
    const [code, ...answers] = await Promise.all([end(program, "SIGTERM"), ...begun]);
    expect([code, ...answers]).toEqual([0, ...begun.map(() => 200)]);
    for (const { close } of clients) close();
  });
});

/** Counts answers of 200 that clients with connections of their own get for `seconds`. */
async function taken(services: readonly Service[], key: string, seconds: number): Promise<number> {
  let answered = 0;
  const until = performance.now() + seconds * 1000;
  await Promise.all(
    services.flatMap(({ baseUrl }) =>
      Array.from({ length: 4 }, async () => {
        const { get: ask, close } = client(baseUrl, key);
        while (performance.now() < until) {
          if ((await ask("/reso/odata")) === 200) answered += 1;
          else await setTimeout(10);
        }
        close();
      }),
    ),
  );
  return answered;
}

/** With `SHARED_RATES=1`, rates are measured as well, which takes a minute. */
const measuresRates = process.env["SHARED_RATES"] === "1";
if (!measuresRates) console.info("without SHARED_RATES=1, rates over several processes are not measured");

const rate = 5;
const limited: Environment = { CADASTRE_REQUESTS_PER_SECOND: String(rate), CADASTRE_WORKER: "false" };
const burst = 10 * rate;

test.runIf(measuresRates)("a customer has its rate once over two processes", async () => {
  const service = await start(join(scratch, "rate"), limited);
  try {
    // Until both bursts are spent; a debt is filled before anything else is given.
    await taken([service], service.key, 3);
    const began = performance.now();
    // Each process may have given its whole burst at first: as much as is due, and then a burst, is filled in 20 s.
    await setTimeout(20_000);
    const first = await taken([service], service.key, 4);
    const seconds = (performance.now() - began) / 1000;
    expect(first).toBeGreaterThanOrEqual(burst);
    expect(first).toBeLessThanOrEqual(burst + rate * seconds);
    const second = await taken([service], service.key, 5);
    expect(second).toBeLessThanOrEqual(rate * 7);
  } finally {
    expect(await end(service.program, "SIGTERM")).toBe(0);
  }
});

test.runIf(measuresRates && hasPostgres)("a customer has its rate once over two machines", async () => {
  const data = join(scratch, "machines");
  const server = await startPostgres();
  const environment = { ...limited, CADASTRE_DATABASE_URL: await server.createDatabase() };
  const first = await start(data, { ...environment, CADASTRE_PROCESSES: "1" });
  const second = await start(data, { ...environment, CADASTRE_PROCESSES: "1" });
  try {
    // Each gives its burst before it knows of the other.
    await taken([first, second], first.key, 3);
    const later = await taken([first, second], first.key, 6);
    expect(later).toBeLessThanOrEqual(rate * 8);
  } finally {
    expect(await end(first.program, "SIGTERM")).toBe(0);
    expect(await end(second.program, "SIGTERM")).toBe(0);
    await server.stop();
  }
});

test("an error of the start is printed once, and the command ends with 1", async () => {
  const data = join(scratch, "failing");
  const settings = { PORT: "0", CADASTRE_DATA: data, CADASTRE_LISTINGS: "50", CADASTRE_PROCESSES: "3" };
  const failing = await runProgram("start.ts", [], {
    ...settings,
    CADASTRE_SIGNING_KEYS: join(scratch, "absent.json"),
  });
  expect(failing.code).toBe(1);
  const lines = failing.stderr.split("\n").filter((line) => line.includes("absent.json"));
  expect(lines).toHaveLength(1);
});

test("`cadastre serve --processes 2` is the same program", async () => {
  const data = join(scratch, "serve");
  const program = await startProgram("cli/main.ts", ["serve", "--processes", "2"], {
    PORT: "0",
    CADASTRE_DATA: data,
    CADASTRE_LISTINGS: "50",
  });
  await says(program, "Stop with Ctrl-C.");
  expect(await pidsOf(program.child.pid)).toHaveLength(2);
  expect(await end(program, "SIGTERM")).toBe(0);
});
