import { readFileSync } from "node:fs";
import { type DoctorCheck, mend, sound, warn } from "./diagnosis.ts";

/** Least number of open files that suits a service: connections, databases and parts. */
const leastOpenFiles = 4096;

function openFileLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Returns the fault of a version of Node, such as `20.19.0`. */
export function diagnoseNode(version: string) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 20 || (major === 20 && minor >= 19)
    ? sound(`Node ${version}`)
    : mend(`Node ${version} is too old`, "install Node 20.19 or later");
}

/** Returns the fault of a limit of open files. */
export const diagnoseOpenFiles = (limit: number | undefined) =>
  limit === undefined || limit >= leastOpenFiles
    ? sound(limit === undefined ? "this system does not tell it" : `${limit} files may be open`)
    : warn(
        `only ${limit} files may be open`,
        `raise it: \`ulimit -n ${leastOpenFiles}\`, or LimitNOFILE of systemd`,
      );

/** Checks of the machine and of the process. */
export const machineChecks: readonly DoctorCheck[] = [
  { name: "node", needs: "nothing", run: () => [diagnoseNode(process.versions.node)] },
  { name: "open files", needs: "nothing", run: () => [diagnoseOpenFiles(openFileLimit())] },
];
