import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A control group that limits the memory of the processes in it. */
export type MemoryGroup = {
  /** Starts the command that follows it in the group. */
  readonly prefix: readonly string[];
  /** Most memory that was held, page cache included, in megabytes. */
  readonly peak: () => number;
  /** Number of processes that the kernel killed for memory. */
  readonly kills: () => number;
  /** Removes the group, which no process may be in any more. */
  readonly remove: () => void;
};

/** Files of the memory controller, by the version of control groups. */
const versions = [
  {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
  },
  { root: "/sys/fs/cgroup", limit: "memory.max", peak: "memory.peak", events: "memory.events" },
] as const;

/** Creates a group with `megabytes` of memory; undefined where this user may not. */
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
