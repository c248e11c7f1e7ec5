import { constants, setPriority } from "node:os";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { StoreError } from "../../errors.ts";
import { YoungGarbage } from "../../read/young-garbage.ts";
import { AnswerMemory } from "./answer-memory.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData, ReturnedAnswer } from "./messages.ts";
import { Reader } from "./reader.ts";

// Queries wait while a thread starts, and most of that time is spent on imports. So only the modules of `odata` that run
// queries are imported.

/** Runs reads on a worker thread: each task is answered by one reply. */
function serve(port: MessagePort, { file, canceled, pageCache, buffers, isLow }: ReaderWorkerData): void {
  // Linux sets the priority of the thread; other systems would change that of the whole process.
  if (isLow && process.platform === "linux") setPriority(constants.priority.PRIORITY_LOW);
  const reader = new Reader(new Database(file, { readonly: true }), new Int32Array(canceled), pageCache);
  const memory = new AnswerMemory(buffers);
  const garbage = new YoungGarbage();
  port.on("message", (message: ReaderTask | ReturnedAnswer) => {
    if ("returned" in message) return memory.giveBack(message.returned);
    const reply = run(reader, message, memory);
    const records = reply.result?.page?.records ?? reply.result?.changes?.records;
    memory.lend(records);
    port.postMessage(reply, records?.buffer instanceof ArrayBuffer ? [records.buffer] : []);
    garbage.add(reader.takeReadBytes());
  });
}

function run(reader: Reader, { id, request }: ReaderTask, memory: AnswerMemory): ReaderReply {
  try {
    return { id, result: reader.read(request, memory.take) };
  } catch (error) {
    if (error instanceof StoreError) return { id, refused: { code: error.code, details: error.details } };
    return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (parentPort !== null) serve(parentPort, workerData as ReaderWorkerData);
