import { readFileSync } from "node:fs";

/** Clock tick of `/proc`, in milliseconds: `USER_HZ` is 100 on every Linux. Source: proc(5). */
const tick = 10;

/** Returns the user and system CPU time of a process so far, including ended threads, in milliseconds. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tick;
}

/** Returns the CPU time of the ended children of a process, in milliseconds. */
export function cpuOfEnded(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[13]) + Number(fields[14])) * tick;
}

/** Returns the children that the main thread of a process has started. Source: proc(5). */
export const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").map(Number).filter(Boolean);

/** Returns the CPU time of a process and of its children so far, including ended children, in milliseconds. */
export function cpuWithChildren(pid: number): number {
  return cpuOf(pid) + cpuOfEnded(pid) + childrenOf(pid).reduce((sum, child) => sum + cpuIfRunning(child), 0);
}

/** A child that ends between two readings is counted with the ended ones of its parent. */
function cpuIfRunning(pid: number): number {
  try {
    return cpuOf(pid);
  } catch {
    return 0;
  }
}

/** Returns the parent of a process. */
export const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** Returns the fields from the third one on, the state: the second one is a name in parentheses, which may contain spaces. */
function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
