import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group that limits the memory of the processes in it. */
export type MemoryGroup = {
  /** Command prefix that runs the following command in the group. */
  readonly prefix: readonly string[];
  /** Returns the peak memory use, including the page cache, in megabytes. */
  readonly peak: () => number;
  /** Returns the number of processes that the kernel killed because of the limit. */
  readonly kills: () => number;
  /** Removes the group. No process may be left in it. */
  readonly remove: () => void;
};

/** Files of the memory controller, for each version of control groups. */
const versions = [
  {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
  },
  { root: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak", events: "memory.events" },
] as const;

/** Creates a group with a limit of `megabytes`; returns undefined if the user is not permitted to. */
export function createMemoryGroup(megabytes: number): MemoryGroup | undefined {
  for (const version of versions) {
    const path = join(version.root, `cadastre-attack-${process.pid}`);
    try {
      mkdirSync(path);
    } catch {
      continue;
    }
    if (!existsSync(join(path, version.limit))) {
      rmdirSync(path);
      continue;
    }
    writeFileSync(join(path, version.limit), String(megabytes * 1024 * 1024));
    const read = (file: string) => readFileSync(join(path, file), "utf8");
    return {
      prefix: ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', path],
      peak: () => Number(read(version.peak)) / 1024 / 1024,
      kills: () => Number(/^oom_kill (\d+)$/m.exec(read(version.events))?.[1] ?? 0),
      remove: () => rmdirSync(path),
    };
  }
  return undefined;
}
