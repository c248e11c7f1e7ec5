import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "@cadastre/odata/testing";
import { test } from "vitest";
import type { Demo } from "../../src/demo/demo-file.ts";
import { heapOption } from "../../src/heap-limit.ts";
import { defaultMemory, memoryLimits } from "../../src/http/memory-limits.ts";
import { createMemoryGroup, type MemoryGroup } from "../support/memory-group.ts";
import { end, type Program, says, startProgram } from "../support/program.ts";

const asked = process.env["ATTACK"];

/** Factor by which attacks are scaled up: `ATTACK=5` for a longer run. */
export const strength = Number(asked ?? "1");

/** A test of an attack that keeps the whole machine busy. Skipped without `ATTACK`. */
export const attack = test.skipIf(asked === undefined);
if (asked === undefined)
  console.info("without ATTACK=1, attacks that keep the whole machine busy are skipped");

/** Options of a test of an attack that runs beside other tests, so that a bound of milliseconds may be missed by chance. */
export const besideOthers = { timeout: 240_000, retry: 1 } as const;

/** Memory of a control group to run the service in, in megabytes: `ATTACK_MEMORY=1024`. By default the service runs without one. */
const container = Number(process.env["ATTACK_MEMORY"] ?? "0");

/** The service in a child process, with a customer who attacks it and a bystander who must not be affected. */
export type Attacked = {
  readonly baseUrl: string;
  readonly attacker: string;
  readonly bystander: string;
  /** Runs `attack` and measures the process and the answers to the bystander meanwhile. */
  readonly during: (attack: () => Promise<void>) => Promise<Seen>;
  readonly stop: () => Promise<void>;
};

/** Measurements during an attack. Times are in milliseconds, memory in megabytes. */
export type Seen = {
  readonly isAlive: boolean;
  readonly rest: number;
  readonly peak: number;
  readonly health: readonly number[];
  /** Statuses of the bystander's requests. */
  readonly bystander: readonly number[];
  /** Longest turn of the event loop: its CPU time and its elapsed time. */
  readonly block: { readonly cpu: number; readonly elapsed: number };
  /** Undefined unless the service runs in a control group. */
  readonly group: { readonly peak: number; readonly kills: number } | undefined;
};

export async function startUnderAttack(settings: Readonly<Record<string, string>> = {}): Promise<Attacked> {
  const folder = await mkdtemp(join(tmpdir(), "cadastre-attack-"));
  const adminPort = await freePort();
  const group = container === 0 ? undefined : createMemoryGroup(container);
  const memory = container === 0 ? defaultMemory(1) : defaultMemory(1, container * 1024 * 1024);
  const environment = {
    CADASTRE_DATA: folder,
    CADASTRE_LISTINGS: "1000",
    CADASTRE_LOG_LEVEL: "warn",
    CADASTRE_CHECK_HOURS: "0",
    CADASTRE_ADMIN_PORT: String(adminPort),
    CADASTRE_MEMORY: String(memory),
    PORT: "0",
    ...settings,
  };
  if (container > 0)
    console.info(
      group === undefined
        ? `no control group may be created: CADASTRE_MEMORY=${memory}, and VmRSS is watched`
        : `in a control group of ${container} MB, with CADASTRE_MEMORY=${memory}`,
    );
  const program = await startProgram("start.ts", [], environment, {
    execArgv: [heapOption(memoryLimits(memory, 1).heap)],
    prefix: group?.prefix ?? [],
  });
  await says(program, "Stop with Ctrl-C.");
  const { baseUrl, keys } = JSON.parse(await readFile(join(folder, "demo.json"), "utf8")) as Demo;
  const keyOf = (name: string) => keys.find((key) => key.name === name)?.apiKey ?? "";
  const [attacker, bystander] = [keyOf("national"), keyOf("market")];
  const watched = {
    program,
    baseUrl,
    key: bystander,
    attacker,
    metrics: `http://127.0.0.1:${adminPort}/metrics`,
    group,
  };
  return {
    baseUrl,
    attacker,
    bystander,
    during: (attack) => watch(watched, attack),
    stop: async () => {
      if (program.child.exitCode === null) await end(program, "SIGTERM");
      group?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const get = async (url: string, key?: string) => {
  const response = await fetch(url, key === undefined ? {} : { headers: { "x-api-key": key } });
  await response.arrayBuffer();
  return response.status;
};

/** Reads the longest turn of the event loop since the last scrape, in milliseconds. */
async function longestTurn(metrics: string): Promise<Seen["block"]> {
  const text = await fetch(metrics).then(
    (response) => response.text(),
    () => "",
  );
  const of = (time: string) =>
    1000 *
    Number(new RegExp(`^cadastre_event_loop_block_seconds\\{time="${time}"\\} (.*)$`, "m").exec(text)?.[1]);
  return { cpu: of("cpu"), elapsed: of("elapsed") };
}

type Watched = {
  readonly program: Program;
  readonly baseUrl: string;
  readonly key: string;
  readonly attacker: string;
  readonly metrics: string;
  readonly group: MemoryGroup | undefined;
};

async function watch(
  { program: { child }, baseUrl, key, attacker, metrics, group }: Watched,
  attack: () => Promise<void>,
): Promise<Seen> {
  const page = `${baseUrl}/reso/odata/Property?$top=20`;
  // Measure after some requests, when all threads have started and the scopes of both customers are compiled.
  for (let turn = 0; turn < 5; turn += 1) for (const customer of [key, attacker]) await get(page, customer);
  const rest = await memoryOf(child.pid);
  await longestTurn(metrics);
  const done = new AbortController();
  const isOver = () => done.signal.aborted || child.exitCode !== null;
  const memory = [rest];
  const health: number[] = [];
  const statuses: number[] = [];
  const watching = [
    repeat(isOver, async () => void memory.push(await memoryOf(child.pid))),
    repeat(isOver, async () => {
      const started = performance.now();
      await get(`${baseUrl}/health/live`);
      health.push(performance.now() - started);
    }),
    repeat(isOver, async () => void statuses.push(await get(page, key))),
  ];
  try {
    await attack();
  } finally {
    done.abort();
    await Promise.allSettled(watching);
  }
  await Promise.all(watching);
  const isAlive = child.exitCode === null && child.signalCode === null;
  return {
    isAlive,
    rest,
    peak: Math.max(...memory),
    health,
    bystander: statuses,
    block: await longestTurn(metrics),
    group: group && { peak: group.peak(), kills: group.kills() },
  };
}

async function repeat(isOver: () => boolean, work: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    await work();
    await wait(50);
  }
}

/** Returns the resident memory of a process, in megabytes. Source: proc(5), `VmRSS`. */
async function memoryOf(pid = 0): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

/** A request on its own connection. */
export type Sent = {
  readonly socket: Socket;
  /** Status and length of the answer, once the connection has closed; status 0 without an answer. */
  readonly closed: Promise<{ readonly status: number; readonly bytes: number }>;
};

/** Sends a request. If `reads` is false, the answer is never read. */
export function send(
  baseUrl: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  reads: boolean,
): Sent {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const all = Object.entries({ host: hostname, connection: "close", ...headers });
  let status = 0;
  let bytes = 0;
  const closed = new Promise<{ status: number; bytes: number }>((resolve) => {
    socket.on("close", () => resolve({ status, bytes }));
  });
  socket.on("error", () => {});
  if (reads) {
    socket.on("data", (chunk) => {
      if (status === 0) status = Number(chunk.subarray(9, 12).toString());
      bytes += chunk.length;
    });
  }
  socket.write(`GET ${target} HTTP/1.1\r\n${all.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`);
  return { socket, closed };
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Formats the measurements of an attack as text. */
export const figuresOf = ({ isAlive, rest, peak, health, bystander, block, group }: Seen): string =>
  [
    isAlive ? "alive" : "dead",
    `memory ${rest.toFixed(0)} -> ${peak.toFixed(0)} MB`,
    `health p50 ${median(health).toFixed(1)} ms, slowest ${Math.max(...health).toFixed(0)} ms`,
    `longest block ${block.cpu.toFixed(0)} ms of CPU time, ${block.elapsed.toFixed(0)} ms elapsed`,
    `bystander ${bystander.length} requests, ${bystander.filter((status) => status !== 200).length} not answered`,
    ...(group === undefined ? [] : [`group at most ${group.peak.toFixed(0)} MB, ${group.kills} killed`]),
  ].join("; ");
