import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export type Measured = { readonly wall: number; readonly cpu: number; readonly peak: number };

/** Seconds, and megabytes of all processes of a shell command together at their most. */
export async function measure(command: string): Promise<Measured> {
  const child = spawn("bash", ["-c", `TIMEFORMAT='%R %U %S'; time { ${command}; }`], {
    stdio: ["ignore", "inherit", "pipe"],
  });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentOf(child.pid ?? 0));
  }, 20);
  const said: Buffer[] = [];
  child.stderr.on("data", (some: Buffer) => said.push(some));
  const code = await new Promise((resolve) => child.once("close", resolve));
  clearInterval(sampling);
  const text = Buffer.concat(said).toString().trim();
  if (code !== 0) throw new Error(text);
  const [wall = 0, user = 0, system = 0] = text.split("\n").at(-1)?.split(" ").map(Number) ?? [];
  return { wall, cpu: user + system, peak };
}

/** Resident memory of a process and of those that it has started, in megabytes. Source: proc(5), `status` and `task/…/children`. */
function residentOf(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean),
    );
    return children.reduce((sum, child) => sum + residentOf(Number(child)), own);
  } catch {
    return 0; // It has ended.
  }
}
