import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import Database from "better-sqlite3";
import { StoreError } from "../errors.ts";
import type { ReaderReply, ReaderTask, ReaderWorkerData } from "./messages.ts";
import { Reader } from "./reader.ts";
import { contentOf, release, type Slab, Slabs } from "./slabs.ts";

/** A thread that reads: one task after another, each answered by one reply. */
function serve(port: MessagePort, { file, canceled }: ReaderWorkerData): void {
  const reader = new Reader(new Database(file, { readonly: true }), new Int32Array(canceled));
  const slabs = new Slabs();
  const known = new Set<number>();
  port.on("message", (task: ReaderTask) => {
    let slab: Slab | undefined;
    const reply = run(reader, task, (bytes) => {
      slab = slabs.take(bytes);
      return slab && contentOf(slab.memory);
    });
    const page = reply.result?.page;
    if (slab === undefined || page === undefined || page.records.buffer !== slab.memory) {
      if (slab !== undefined) release(slab.memory);
      port.postMessage(reply, page === undefined ? [] : [page.records.buffer as ArrayBuffer]);
      return;
    }
    const { id, memory, replaced } = slab;
    const first = known.has(id) ? {} : { memory, replaced };
    known.add(id);
    const result = { ...reply.result, page: { ...page, records: nothing } };
    const start = page.records.byteOffset - contentOf(memory).byteOffset;
    const end = start + page.records.length;
    port.postMessage({ ...reply, result, slab: { id, start, end, ...first } });
  });
}

const nothing = new Uint8Array();

function run(
  reader: Reader,
  { id, request }: ReaderTask,
  memory: (bytes: number) => Buffer | undefined,
): ReaderReply {
  try {
    return { id, result: reader.read(request, memory) };
  } catch (error) {
    if (error instanceof StoreError) return { id, refused: error.code };
    return { id, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

if (parentPort !== null) serve(parentPort, workerData as ReaderWorkerData);
