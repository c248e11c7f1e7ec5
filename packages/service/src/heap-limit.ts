import { spawn } from "node:child_process";
import { once } from "node:events";
import { type Config, ConfigError, readConfig } from "./config.ts";
import { memoryLimitsOf } from "./http/memory-limits.ts";

/** Options with which an operator sets V8's heap. They take precedence. */
const ownOption = /--max[-_](?:old[-_]space|heap)[-_]size/;

/** Returns the option of Node that limits the heap of the main thread to `heap` megabytes. */
export const heapOption = (heap: number): string => `--max-old-space-size=${heap}`;

/** True if this process was started with a limit of the heap. */
export const isHeapSet = (): boolean =>
  [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].some((option) => ownOption.test(option));

/** Returns the heap option that this process lacks; undefined if the operator set the heap, or if the settings are invalid. */
function missingOption(configOf: (config: Config) => Config): string | undefined {
  if (isHeapSet()) return undefined;
  try {
    return heapOption(memoryLimitsOf(configOf(readConfig(process.env))).heap);
  } catch (error) {
    // The program itself reports invalid settings.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Runs a long-running program with a heap limit derived from `CADASTRE_MEMORY`. V8 accepts the limit only when a process starts, so the
 * program runs in a child process unless this process was started with a limit.
 *
 * @param configOf returns the configuration of one process of the program
 */
export async function withHeapLimit(
  run: () => Promise<unknown>,
  configOf: (config: Config) => Config = (config) => config,
): Promise<void> {
  const option = missingOption(configOf);
  if (option !== undefined) return startAgain(option);
  followLauncher();
  await run();
}

/** Signals that are forwarded to the child process. */
const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Environment variable with the id of the parent process. */
const launcher = "CADASTRE_LAUNCHER";

/**
 * Runs this program in a child process with one more option of Node, and exits with its code or signal. The child has its own process
 * group, so that it gets a signal of the terminal only once: forwarded from here.
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

/** Stops this process with SIGTERM when the parent process that started it has ended: the channel to it closes then. */
function followLauncher(): void {
  if (process.env[launcher] !== String(process.ppid)) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel?.unref();
}
