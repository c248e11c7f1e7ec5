import { fork } from "node:child_process";
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
  const { failed, detail } = await ask(copy, signal);
  if (failed !== null) throw new DeliveryError(failed, detail);
}

function ask(copy: ParquetCopy, signal: AbortSignal | undefined): Promise<ParquetReply> {
  return new Promise((resolve, reject) => {
    const child = fork(program, {
      // The environment of a service may hold secrets, and the child needs none of it.
      env: {},
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      killSignal: "SIGKILL",
      ...(signal === undefined ? {} : { signal }),
    });
    child.once("message", (reply) => resolve(reply as ParquetReply));
    child.once("error", reject);
    child.once("exit", (code, killedBy) =>
      resolve({ failed: "parquet_failed", detail: `its process has ended: ${killedBy ?? code}` }),
    );
    child.send(copy);
  });
}
