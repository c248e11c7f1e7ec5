import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { DeliveryError } from "../errors.ts";
import type { ParquetCopy } from "./duckdb-copy.ts";
import type { ParquetReply } from "./parquet-process.ts";

const program = new URL("./parquet-process.js", import.meta.url);

/**
 * Writes a Parquet file with DuckDB, in a child process.
 *
 * @throws {DeliveryError} `parquet_unavailable`, `parquet_writer_version`, `parquet_failed`
 */
export async function writeParquet(copy: ParquetCopy, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const child = takeIdle() ?? start();
  const { failed, detail } = await ask(child, copy, signal);
  if (failed !== null) {
    child.kill("SIGKILL");
    throw new DeliveryError(failed, detail);
  }
  keep(child);
}

/** A process that has written its file and waits for the next one, because to start one costs a tenth of what it does. */
let idle: { readonly child: ChildProcess; readonly end: NodeJS.Timeout } | undefined;

/** Time in milliseconds after which an idle process ends, so that its memory is freed. */
const longestIdle = 5000;

function takeIdle(): ChildProcess | undefined {
  const taken = idle;
  idle = undefined;
  if (taken === undefined) return undefined;
  clearTimeout(taken.end);
  taken.child.ref();
  taken.child.channel?.ref();
  return taken.child.connected ? taken.child : undefined;
}

function keep(child: ChildProcess): void {
  if (idle !== undefined) {
    child.kill("SIGKILL");
    return;
  }
  child.unref();
  child.channel?.unref();
  const end = setTimeout(() => {
    idle = undefined;
    child.kill("SIGKILL");
  }, longestIdle);
  idle = { child, end: end.unref() };
}

function start(): ChildProcess {
  const child = fork(program, {
    // The environment of a service may hold secrets, and the child needs none of it.
    env: {},
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // `ask` hears of errors while it waits. Without a listener a later one would be thrown.
  return child.on("error", () => {});
}

async function ask(
  child: ChildProcess,
  copy: ParquetCopy,
  signal: AbortSignal | undefined,
): Promise<ParquetReply> {
  const done = new AbortController();
  const until = { signal: AbortSignal.any([done.signal, ...(signal === undefined ? [] : [signal])]) };
  const replied = once(child, "message", until).then(([reply]) => reply as ParquetReply);
  const exited = once(child, "exit", until).then(([code, killedBy]): ParquetReply => {
    return { failed: "parquet_failed", detail: `its process has ended: ${killedBy ?? code}` };
  });
  // The one that is not awaited below fails when the other has come.
  for (const one of [replied, exited]) one.catch(() => undefined);
  try {
    child.send(copy);
    return await Promise.race([replied, exited]);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    done.abort();
  }
}
