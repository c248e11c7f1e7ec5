import { readFileSync } from "node:fs";

/** Clock tick of `/proc`, in milliseconds: `USER_HZ` is 100 on every Linux. Source: proc(5). */
const tick = 10;

/** Returns the user and system CPU time of a process so far, including ended threads, in milliseconds. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the name in parentheses, which may contain spaces. Parsing starts at the third field, the state.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * tick;
}
