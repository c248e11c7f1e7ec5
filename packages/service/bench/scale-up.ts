/*
 * Look-ups by one process and by two on the same cores: CPU of a request, and what the cores could answer.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/bench/scale-up.ts [--listings 5000] [--requests 6000] [--rounds 5] [--warm 24000] [--look-ups "key;price, top 20"]
 *
 * The client shares the cores with the service, so requests a second tell little. Instead, the CPU time of each thread of the service is
 * measured. A thread uses one core at most, and all threads together two, so two cores can answer min(2 / CPU of all threads,
 * 1 / CPU of the busiest thread) requests a second. Figures are minima of the rounds, in which the services take turns.
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, programOf } from "./build.ts";
import { chosenOf, settingsOf } from "./settings.ts";
import { head, line, number } from "./table.ts";
import { startWhole, type WholeService } from "./whole-service.ts";

const given = settingsOf({
  listings: "5000",
  requests: "6000",
  rounds: "5",
  // Each of two processes answers half of them, and V8 compiles what one has run through often.
  warm: "24000",
  "look-ups": "key;price, top 20",
});
const [requests, rounds, warm] = [Number(given.requests), Number(given.rounds), Number(given.warm)];
const cores = 2;
const connections = 8;

/** Returns the process and those that it has started. */
const processesOf = (pid: number): readonly number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((text) => /\d/.test(text))
    .map(Number),
];

/** Returns the CPU time of each thread so far, in milliseconds. Source: Linux, Documentation/scheduler/sched-stats.rst. */
function threadsOf(pid: number): ReadonlyMap<string, number> {
  const threads = new Map<string, number>();
  for (const process of processesOf(pid))
    for (const thread of readdirSync(`/proc/${process}/task`)) {
      const schedule = readFileSync(`/proc/${process}/task/${thread}/schedstat`, "utf8");
      threads.set(thread, Number.parseInt(schedule, 10) / 1e6);
    }
  return threads;
}

type Cost = { readonly all: number; readonly busiest: number };

/**
 * Sends requests over several connections, as many over each, and returns their CPU time in the service, in milliseconds a request. Otherwise the
 * process that shares its core less with the client would answer more of them.
 */
async function costOf(
  { pid, baseUrl, apiKey }: WholeService,
  pathOf: (turn: number) => string,
  count: number,
): Promise<Cost> {
  const before = threadsOf(pid);
  const ask = (path: string, agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      get(baseUrl + path, { agent, headers: { "x-api-key": apiKey } }, (res) => {
        if (res.statusCode !== 200) reject(new Error(`${path} gave ${res.statusCode}`));
        res.resume().on("end", resolve);
      }).on("error", reject);
    });
  await Promise.all(
    Array.from({ length: connections }, async (_, first) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turn = first; turn < count; turn += connections) await ask(pathOf(turn), agent);
      agent.destroy();
    }),
  );
  const used = [...threadsOf(pid)].map(([thread, time]) => (time - (before.get(thread) ?? 0)) / count);
  return { all: used.reduce((sum, time) => sum + time, 0), busiest: Math.max(...used) };
}

const perSecond = ({ all, busiest }: Cost): number => 1000 * Math.min(cores / all, 1 / busiest);

async function keysOf({ baseUrl, apiKey }: WholeService): Promise<readonly string[]> {
  const url = `${baseUrl}/reso/odata/Property?$top=500&$select=ListingKey`;
  const page = await fetch(url, { headers: { "x-api-key": apiKey } });
  const { value } = (await page.json()) as { readonly value: readonly { readonly ListingKey: string }[] };
  return value.map(({ ListingKey }) => ListingKey);
}

build();
const folder = await mkdtemp(join(tmpdir(), "cadastre-bench-"));
const services: { readonly processes: number; readonly service: WholeService }[] = [];
try {
  for (const processes of [1, 2]) {
    const service = await startWhole(
      programOf("../src/main"),
      join(folder, String(processes)),
      Number(given.listings),
      `0-${cores - 1}`,
      { CADASTRE_PROCESSES: String(processes), CADASTRE_CHECK_HOURS: "0", CADASTRE_WORKER: "false" },
    );
    services.push({ processes, service });
  }
  const keys = await keysOf((services[0] as (typeof services)[number]).service);
  const lookUps = [
    { name: "key", pathOf: (turn: number) => `/reso/odata/Property('${keys[turn % keys.length]}')` },
    {
      name: "price, top 20",
      pathOf: (turn: number) => `/reso/odata/Property?$filter=ListPrice%20ge%20${200_000 + turn}&$top=20`,
    },
  ];
  console.log(
    head("look-up", "processes", "CPU ms", "busiest thread, ms", "requests/s of two cores", "÷ one process"),
  );
  for (const { name, pathOf } of chosenOf(given["look-ups"], lookUps)) {
    const costs = services.map((): Cost[] => []);
    for (const { service } of services) await costOf(service, pathOf, warm);
    for (let round = 0; round < rounds; round += 1)
      for (const [i, { service }] of services.entries())
        costs[i]?.push(await costOf(service, pathOf, requests));
    const best = costs.map(
      (all): Cost => ({
        all: Math.min(...all.map((cost) => cost.all)),
        busiest: Math.min(...all.map((cost) => cost.busiest)),
      }),
    );
    const one = perSecond(best[0] as Cost);
    for (const [i, { processes }] of services.entries()) {
      const cost = best[i] as Cost;
      console.log(
        line(
          name,
          String(processes),
          ...[cost.all, cost.busiest, perSecond(cost), perSecond(cost) / one].map(number),
        ),
      );
    }
  }
} finally {
  for (const { service } of services) await service.stop();
  await rm(folder, { recursive: true, force: true });
}
