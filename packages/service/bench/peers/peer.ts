import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@cadastre/odata/testing";
import { connect } from "../client.ts";
import { cpuOf } from "../cpu.ts";
import { type Running, serverCore } from "../processes.ts";

type Program = {
  readonly cwd: string;
  /** Arguments of Node. */
  readonly node: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Path that answers with status 200 as soon as the server is ready. */
  readonly ready: string;
};

/** Starts a server of others on the server's core, which takes its port from `PORT`, and waits for its first answer. */
export async function startPeer({ cwd, node, env, ready }: Program): Promise<Running> {
  const port = await freePort();
  const child = spawn("taskset", ["-c", serverCore, process.execPath, ...node], {
    cwd,
    env: { ...process.env, ...env, PORT: String(port) },
    stdio: process.env["BENCH_LOG"] === undefined ? "ignore" : "inherit",
  });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const client = connect({ port }, 1);
  for (let i = 0; i < 600 && child.exitCode === null; i++) {
    await setTimeout(100);
    const status = await client.get(ready).then(
      (reply) => reply.status,
      () => 0,
    );
    if (status !== 200) continue;
    client.close();
    const { pid = 0 } = child;
    return { port, pid, keys: {}, startCpu: cpuOf(pid), stop };
  }
  await stop();
  throw new Error(`${node.join(" ")} does not start: set BENCH_LOG=1 to see why`);
}
