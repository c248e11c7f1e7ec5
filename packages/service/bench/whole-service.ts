import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { openDataFolder } from "../src/data/data-folder.ts";
import { readDemo } from "../src/demo/demo-file.ts";
import { heapOption } from "../src/heap-limit.ts";
import { defaultMemory, memoryLimits } from "../src/http/memory-limits.ts";
import type { Running } from "./processes.ts";

/** The running service with its sample data. */
export type WholeService = Pick<Running, "pid" | "stop"> & {
  readonly baseUrl: string;
  /** API key of the customer that sees everything. */
  readonly apiKey: string;
};

/**
 * Starts the compiled service in its own process. It first prepares `listings` sample listings in `path`.
 *
 * @param program path of its main file
 * @param cores list of cores in the syntax of taskset
 * @param settings additional environment variables
 */
export async function startWhole(
  program: string,
  path: string,
  listings: number,
  cores: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<WholeService> {
  const heap = heapOption(memoryLimits(defaultMemory(1), 1).heap);
  const child = spawn("taskset", ["-c", cores, process.execPath, heap, program], {
    env: {
      ...process.env,
      PORT: "0",
      CADASTRE_DATA: path,
      CADASTRE_LISTINGS: String(listings),
      // A rate limit that is never reached has the cost of a real one.
      CADASTRE_REQUESTS_PER_SECOND: "1000000",
      ...settings,
    },
    stdio: ["ignore", "ignore", process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit"],
  });
  const ended = once(child, "exit");
  const folder = await openDataFolder(path);
  for (;;) {
    const demo = await readDemo(folder);
    const apiKey = demo?.keys.find(({ name }) => name === "national")?.apiKey;
    // The keys are written before the address is known.
    if (demo !== undefined && demo.baseUrl !== "" && apiKey !== undefined)
      return {
        pid: child.pid ?? 0,
        baseUrl: demo.baseUrl,
        apiKey,
        stop: async () => {
          child.kill("SIGTERM");
          await ended;
        },
      };
    if (child.exitCode !== null) throw new Error("the service did not start: set BENCH_LOG=1 to see why");
    await setTimeout(100);
  }
}

/** Returns the resident memory of a process, in megabytes. Source: proc(5), `VmRSS`. */
export const memoryOf = (pid: number): number => fieldOf(pid, "VmRSS");

/**
 * Returns the part of {@link memoryOf} that is memory-mapped files, in megabytes. The system reclaims it when it needs memory. Source:
 * proc(5), `RssFile`.
 */
export const mappedMemoryOf = (pid: number): number => fieldOf(pid, "RssFile");

/** Returns the peak of {@link memoryOf} so far, and 0 for a process that has ended. Source: proc(5), `VmHWM`. */
export function peakMemoryOf(pid: number): number {
  try {
    return fieldOf(pid, "VmHWM") || 0;
  } catch {
    return 0;
  }
}

function fieldOf(pid: number, name: "VmRSS" | "VmHWM" | "RssFile"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
