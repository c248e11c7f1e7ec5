import { execFile } from "node:child_process";
import { mkdir, open, readFile, readlink, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing } from "./disk.ts";

const lockOwner = z.object({ pid: z.int().positive(), started: z.string(), machine: z.string() });

/** The process that holds a lock. A process id alone may have been given to another process since. */
type LockOwner = z.output<typeof lockOwner>;

/** Interval at which a holder renews its lock, and age at which a lock counts as abandoned if its process cannot be looked up. */
const renewal = { interval: 10_000, abandoned: 60_000 } as const;

/**
 * Runs `work` while no other run of this or another process works on `path`. The lock is the file `<path>.lock`. A killed process does not
 * keep it: a lock is taken over if its process has ended or, on another machine, has not renewed it for a minute.
 *
 * @throws {ClientError} `staging_in_use` at once if another run has the lock
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const file = `${path}.lock`;
  await onDisk(file, async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await acquire(file, path);
  });
  const timer = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, renewal.interval);
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // The result of the work counts. A lock that stays is taken over, because its process ends.
    await rm(file, { force: true }).catch(() => {});
  }
}

async function acquire(file: string, path: string): Promise<void> {
  const own = JSON.stringify(await thisProcess());
  while (!(await created(file, own))) {
    const text = await readFile(file, "utf8").catch(unlessMissing);
    if (text === undefined) continue;
    if (await isHeld(file, text)) {
      const pid = ownerIn(text)?.pid;
      throw new ClientError("staging_in_use", {
        place: path,
        holder: pid === undefined ? "another run" : `another run (process ${pid})`,
      });
    }
    // Read again, because another run may have taken it over meanwhile.
    if ((await readFile(file, "utf8").catch(unlessMissing)) === text) await rm(file, { force: true });
  }
}

/** Creates the lock file. Returns false if it exists. */
async function created(file: string, text: string): Promise<boolean> {
  try {
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isHeld(file: string, text: string): Promise<boolean> {
  const owner = ownerIn(text);
  if (owner !== undefined && owner.machine === (await machine())) {
    const started = await startOf(owner.pid);
    return started !== undefined && started === owner.started;
  }
  // Of another machine or container, or not yet written.
  const facts = await stat(file).catch(unlessMissing);
  return facts !== undefined && Date.now() - facts.mtimeMs < renewal.abandoned;
}

function ownerIn(text: string): LockOwner | undefined {
  try {
    return lockOwner.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const thisProcess = async (): Promise<LockOwner> => ({
  pid: process.pid,
  started: (await startOf(process.pid)) ?? "",
  machine: await machine(),
});

/** Identifies the machine and, on Linux, the namespace of its process ids, which differs between containers. */
const machine = async (): Promise<string> =>
  `${hostname()} ${await readlink("/proc/self/ns/pid").catch(() => "")}`.trim();

/** Returns when a process was started, as a text that is only compared; undefined if there is no such process. */
async function startOf(pid: number): Promise<string | undefined> {
  if (!isRunning(pid)) return undefined;
  const facts = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // Source: proc_pid_stat(5), field 22. The second field is the program's name in parentheses, which may contain any character.
  if (facts !== undefined) return facts.slice(facts.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  const listed = await promisify(execFile)("ps", ["-o", "lstart=", "-p", String(pid)]).catch(() => undefined);
  return listed?.stdout.trim() ?? "";
}

/** True if there is a process of this id. One of another user may not be signalled, but exists. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
