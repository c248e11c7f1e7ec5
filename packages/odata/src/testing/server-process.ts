import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";

/** A running server program. */
type ServerProcess = {
  readonly child: ChildProcess;
  /** Returns the end of what it has written to its standard error. */
  readonly log: () => string;
  /** Kills the server, and leaves its folder. */
  readonly crash: () => Promise<void>;
  /** Ends the server and removes its folder. */
  readonly stop: () => Promise<void>;
};

/** The folder that a server runs in, and its user. */
export type ServerOptions = {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly gid?: number;
};

/** Starts a server program, which ends with this process at the latest. */
export function startProcess(
  program: string,
  input: readonly string[],
  options: ServerOptions,
  signal: NodeJS.Signals,
): ServerProcess {
  const child = spawn(program, input, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (text: Buffer) => {
    log = (log + text.toString()).slice(-4000);
  });
  const ended = new Promise<void>((resolve) => void child.once("exit", () => resolve()));
  const kill = () => void child.kill(signal);
  process.once("exit", kill);
  const stop = async () => {
    kill();
    await ended;
    process.removeListener("exit", kill);
    rmSync(options.cwd, { recursive: true, force: true });
  };
  const crash = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { child, log: () => log, crash, stop };
}
