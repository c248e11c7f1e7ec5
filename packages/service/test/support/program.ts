import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { withDatabase } from "./test-database.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const compiled = join(root, "packages/service/dist");
const compiledClient = join(root, "packages/client/dist/cli/main.js");

type Environment = Readonly<Record<string, string>>;

/** A program of the service in a child process. */
export type Program = {
  readonly child: ChildProcess;
  /** Returns what the process has written to both streams. */
  readonly output: () => string;
};

/** Sets a heap limit, so that the program does not start another process to set one: signals of a test must reach the program itself. */
const heapOfTests = "--max-old-space-size=4096";

/** Options for starting the process. */
export type Start = {
  /** Options of Node. By default, one that limits the heap. */
  readonly execArgv?: readonly string[];
  /** A command to start the program with. It must replace itself by the program (`exec`). */
  readonly prefix?: readonly string[];
  /** Folder of the compiled service. By default that of this checkout. */
  readonly compiled?: string;
};

/**
 * Starts a compiled program.
 *
 * @param file its source file, relative to the service's `src`
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  environment: Environment,
  start: Start = {},
): Promise<Program> {
  const { child, texts } = await spawnCompiled(compiledOf(file, start.compiled), args, environment, start);
  return { child, output: () => texts.both };
}

/** Waits until the output contains `text`. */
export async function says({ child, output }: Program, text: string): Promise<void> {
  while (!output().includes(text)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the program ended (${child.exitCode ?? child.signalCode}): ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Sends a signal to a program, waits for its end, and returns its exit code. A program that has ended already keeps its own. */
export async function end({ child }: Program, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, "close");
  child.kill(signal);
  const [code] = (await closed) as [number | null];
  return code;
}

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a compiled program until it ends, with `input` on its standard input. */
export const runProgram = (
  file: string,
  args: readonly string[],
  environment: Environment,
  input?: string | Uint8Array,
): Promise<Outcome> => runCompiled(compiledOf(file), args, environment, input);

/** Runs the program of `@cadastre/client` until it ends. */
export const runClient = (args: readonly string[], environment: Environment): Promise<Outcome> =>
  runCompiled(compiledClient, args, environment);

/** Starts the program of `@cadastre/client`. */
export async function startClient(
  args: readonly string[],
  environment: Environment,
): Promise<{ readonly kill: (signal: NodeJS.Signals) => void; readonly ended: Promise<unknown> }> {
  const { child } = await spawnCompiled(compiledClient, args, environment);
  return { kill: (signal) => void child.kill(signal), ended: once(child, "close") };
}

async function runCompiled(
  program: string,
  args: readonly string[],
  environment: Environment,
  input: string | Uint8Array = "",
): Promise<Outcome> {
  const { child, texts } = await spawnCompiled(program, args, environment);
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout: texts.stdout, stderr: texts.stderr };
}

/** Returns the compiled file of a source file, which is relative to the service's `src`. */
const compiledOf = (file: string, folder = compiled): string => join(folder, file.replace(/ts$/, "js"));

async function spawnCompiled(
  program: string,
  args: readonly string[],
  environment: Environment,
  { execArgv = [heapOfTests], prefix = [] }: Start = {},
) {
  await compilePackages();
  const [command = "", ...rest] = [...prefix, process.execPath, ...execArgv, program, ...args];
  const child = spawn(command, rest, {
    cwd: root,
    env: { ...process.env, ...withDatabase(environment) },
    stdio: "pipe",
  });
  const texts = { stdout: "", stderr: "", both: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => {
      texts[name] += chunk.toString("utf8");
      texts.both += chunk.toString("utf8");
    });
  }
  return { child, texts };
}
