import { spawn } from "node:child_process";
import { once } from "node:events";
import { ConfigError, readConfig } from "./config.ts";
import { memoryLimitsOf } from "./http/memory-limits.ts";

/** Options of an operator who sets the heap of V8: they win. */
const ownOption = /--max[-_](?:old[-_]space|heap)[-_]size/;

/** The option of Node that limits the heap of a process's main thread to so many megabytes. */
export const heapOption = (heap: number): string => `--max-old-space-size=${heap}`;

/** The option that this process lacks; undefined if the operator has set the heap, or settings are wrong, which the program itself says. */
function missingOption(): string | undefined {
  const given = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv];
  if (given.some((option) => ownOption.test(option))) return undefined;
  try {
    return heapOption(memoryLimitsOf(readConfig(process.env)).heap);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Runs a program that serves for long with a heap that follows from `CADASTRE_MEMORY`. V8 takes the limit when a process starts and never
 * again, so the program runs in another process if this one has another limit.
 */
export async function withHeapLimit(run: () => Promise<unknown>): Promise<void> {
  const option = missingOption();
  if (option !== undefined) return startAgain(option);
  followLauncher();
  await run();
}

/** Signals that are handed on to the process that serves. */
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Environment variable with the id of the process that has started this one. */
const launcher = "CADASTRE_LAUNCHER";

/**
 * Runs this program in another process, with one more option of Node, and ends as that one does. That process has a group of its own: signals
 * of the terminal reach it from here, and only once.
 */
async function startAgain(option: string): Promise<void> {
  const args = [...process.execArgv, option, ...process.argv.slice(1)];
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [launcher]: String(process.pid) },
  });
  for (const signal of forwarded) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  for (const handled of forwarded) process.removeAllListeners(handled);
  if (signal !== null) process.kill(process.pid, signal);
  process.exitCode = code ?? 1;
}

/** Stops this process as a signal would, when the launcher that has started it is gone. */
function followLauncher(): void {
  if (process.env[launcher] !== String(process.ppid)) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
