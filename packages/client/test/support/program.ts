import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compilePackages } from "@cadastre/odata/testing";
import { vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { apiKey } from "./server.ts";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const root = fileURLToPath(new URL("../../../..", import.meta.url));
await compilePackages();

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Running = { readonly outcome: Promise<Outcome>; readonly kill: (signal: NodeJS.Signals) => void };

/** Starts the program as published, with the key in its environment variable. */
export function start(
  args: readonly string[],
  {
    env = { CADASTRE_API_KEY: apiKey },
    input = "",
    limit,
    cwd = root,
  }: { env?: object; input?: string; limit?: number; cwd?: string } = {},
): Running {
  const [command, ...rest] =
    limit === undefined
      ? [process.execPath, main, ...args]
      : ["bash", "-c", `ulimit -f ${limit}; exec "$@"`, "bash", process.execPath, main, ...args];
  const child = spawn(command ?? "", rest, { cwd, env: { PATH: process.env["PATH"], ...env } });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      texts[name] += chunk.toString();
    });
  child.stdin.end(input);
  return {
    outcome: new Promise((resolve) => void child.once("close", (code) => resolve({ code, ...texts }))),
    kill: (signal) => void child.kill(signal),
  };
}

export const run = (...input: Parameters<typeof start>): Promise<Outcome> => start(...input).outcome;

/** Runs the program within this process. */
export async function runHere(args: readonly string[], key: string | undefined = apiKey): Promise<Outcome> {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    }),
  );
  vi.stubEnv("CADASTRE_API_KEY", key);
  try {
    return { code: await runProgram(args), ...texts };
  } finally {
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
