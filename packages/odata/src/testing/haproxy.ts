import { chmodSync, existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { startProcess } from "./server-process.ts";

/** A running HAProxy. */
export type Haproxy = {
  /** Sends a command to its control socket, such as `set server nodes/one state maint`, and returns the answer. */
  readonly command: (command: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

const program = ["/usr/sbin/haproxy", "/usr/local/sbin/haproxy"].find((one) => existsSync(one));

/** True if {@link startHaproxy} has a program to start. */
export const hasHaproxy: boolean = program !== undefined;

/**
 * Starts HAProxy.
 *
 * @param sections its configuration, without the section `global`
 */
export async function startHaproxy(sections: string): Promise<Haproxy> {
  if (program === undefined) throw new Error("HAProxy is not installed");
  const folder = mkdtempSync(join(tmpdir(), "haproxy-"));
  const [socket, file] = [join(folder, "control.sock"), join(folder, "haproxy.cfg")];
  chmodSync(folder, 0o755);
  writeFileSync(file, `global\n  stats socket ${socket} mode 600 level admin\n${sections}\n`);
  const { child, log, stop } = startProcess(program, ["-db", "-q", "-f", file], { cwd: folder }, "SIGTERM");
  const command = (line: string) => {
    const connection = connect(socket);
    connection.end(`${line}\n`);
    return text(connection);
  };
  for (const deadline = Date.now() + 30_000; ; await setTimeout(20))
    try {
      await command("show version");
      return { command, stop };
    } catch {
      if (child.exitCode === null && Date.now() < deadline) continue;
      await stop();
      throw new Error(`haproxy does not start: ${log()}`);
    }
}
