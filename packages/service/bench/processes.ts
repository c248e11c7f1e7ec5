import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Customer } from "./access.ts";
import { programOf } from "./build.ts";
import { cpuOf } from "./cpu.ts";

/** A running server of the benchmarks. */
export type Running = {
  readonly port: number;
  readonly pid: number;
  /** API keys of the customers. The floors have none. */
  readonly keys: Partial<Record<Customer, string>>;
  /** CPU time from its start until it could answer, in milliseconds. */
  readonly startCpu: number;
  readonly stop: () => Promise<void>;
};

// Core of the measured server, and core of the client.
export const serverCore = "0";
const clientCore = "1";

/** Pins this process and its threads to the client's core. */
export const moveToClientCore = (): void => move(process.pid, clientCore);

/** Pins a process, and those that it starts from now on, to the server's core. */
export const moveToServerCore = (pid: number): void => move(pid, serverCore);

function move(pid: number, core: string): void {
  const { status } = spawnSync("taskset", ["-acp", core, String(pid)]);
  if (status !== 0) throw new Error("taskset is needed, and two cores");
}

/** Runs `load.ts` in a process, and waits for its end. */
export async function load(choice: string, file: string, listings: number): Promise<void> {
  const child = spawn(process.execPath, [programOf("load"), choice, file, String(listings)], {
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${choice} was not loaded`);
}

/** @param cores list of cores in the syntax of taskset */
export async function start(
  program: "file-floor" | "floor" | "postgres-floor" | "records-floor" | "serve",
  args: readonly string[],
  cores = serverCore,
): Promise<Running> {
  const node = [process.execPath, programOf(program), ...args];
  const child = spawn("taskset", ["-c", cores, ...node], {
    stdio: ["ignore", "ignore", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  const { port, keys } = await ready(child, program);
  const { pid = 0 } = child;
  return {
    port,
    pid,
    keys,
    startCpu: cpuOf(pid),
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function ready(child: ChildProcess, program: string): Promise<Pick<Running, "port" | "keys">> {
  const end = new AbortController();
  const { signal } = end;
  const exit = once(child, "exit", { signal }).then(() => {
    throw new Error(`${program} did not start: set BENCH_LOG=1 to see why`);
  });
  const message = once(child, "message", { signal }) as Promise<[Pick<Running, "port" | "keys">]>;
  try {
    const [started] = await Promise.race([message, exit]);
    return started;
  } finally {
    exit.catch(() => {});
    message.catch(() => {});
    end.abort();
  }
}
