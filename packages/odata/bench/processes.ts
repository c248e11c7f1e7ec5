import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { builtFolder } from "./subjects.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Compile the package, so that what is measured is what is published: no loader rewrites it on the way. */
export function build(): void {
  const tsc = `${root}node_modules/.bin/tsc`;
  const project = fileURLToPath(new URL("../tsconfig.build.json", import.meta.url));
  const args = ["-p", project, "--outDir", fileURLToPath(builtFolder)];
  const { status } = spawnSync(tsc, args, { stdio: "inherit", shell: process.platform === "win32" });
  if (status !== 0) throw new Error("the package does not compile");
}

const lastCpu = ["taskset", "-c", String(availableParallelism() - 1)] as const;
const [tool, ...onLastCpu] = lastCpu;

/** Whether processes can be kept on one CPU here. */
export const pinned = spawnSync(tool, [...onLastCpu, "true"]).status === 0;

/** Start a file of this folder in a process of its own, on one CPU where that can be asked for. */
export function start(file: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const node = [process.execPath, "--import", "tsx", path, ...args];
  const [command = "", ...rest] = pinned ? [...lastCpu, ...node] : node;
  return spawn(command, rest, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** The next message of a process; undefined where it ends before. */
export async function answer(child: ChildProcess): Promise<unknown> {
  const end = new AbortController();
  const { signal } = end;
  try {
    const message = once(child, "message", { signal }) as Promise<unknown[]>;
    const exit = once(child, "exit", { signal }).then(() => []);
    const [first] = await Promise.race([message, exit]);
    return first;
  } finally {
    end.abort();
  }
}
