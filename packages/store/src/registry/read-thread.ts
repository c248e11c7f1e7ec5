import { parentPort, workerData } from "node:worker_threads";
import { LruCache } from "@cadastre/odata/lru-cache";
import Database, { type Statement } from "better-sqlite3";
import type { ReadReply, ReadTask } from "./background-reader.ts";

/** Statements that are kept prepared. */
const keptStatements = 20;

const database = new Database(workerData as string, { readonly: true, fileMustExist: true });
const statements = new LruCache<string, Statement>(keptStatements);

function answer({ id, text, values }: ReadTask): ReadReply {
  try {
    const statement = statements.get(text, () => database.prepare(text));
    return { id, rows: statement.all(values) };
  } catch (error) {
    // An error of the driver loses its code on the way.
    const { code, message } = error as Error & { readonly code?: string };
    return { id, fault: { code: code ?? "unknown", message } };
  }
}

parentPort?.on("message", (task: ReadTask) => parentPort?.postMessage(answer(task)));
