import { appendFileSync, closeSync, fdatasync, fstatSync, openSync, readSync } from "node:fs";
import { promisify } from "node:util";
import { DataError } from "../data/data-error.ts";
import { fileReason, isFileError } from "../file-error.ts";
import type { AuditSink } from "./audit-trail.ts";

/**
 * Creates a sink that appends lines to a file, which only its owner can read. Lines that arrive during a write are written together (group
 * commit). The file is opened for each write, so `logrotate` may rename it at any time; several processes may write to it.
 */
export function createAuditFile(file: string): AuditSink {
  let pending: readonly string[] = [];
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function write(): Promise<void> {
    const lines = pending;
    pending = [];
    try {
      await appendLines(file, lines);
    } catch (error) {
      pending = [...lines, ...pending];
      if (!isFileError(error)) throw error;
      throw new DataError(
        `${file} cannot be written, and nothing is done without an audit trail: ${fileReason(error)}; make it writable, or set CADASTRE_AUDIT=stdout`,
        { cause: error },
      );
    }
  }

  return {
    append(line) {
      if (line !== "") pending = [...pending, line];
      next ??= current
        .catch(() => {})
        .then(() => {
          next = undefined;
          current = write();
          return current;
        });
      return next;
    },
  };
}

const flush = promisify(fdatasync);

/**
 * Appends lines, and waits until they are on the disk. All but that is done at once, in this thread: to hand an open or a short write over
 * to another thread takes several times as long as the call.
 */
async function appendLines(file: string, lines: readonly string[]): Promise<void> {
  const place = openSync(file, "a+", 0o600);
  try {
    if (lines.length === 0) return;
    const text = lines.join("");
    // An interrupted write leaves a torn line. It is ended first, so that the next line does not continue it.
    appendFileSync(place, endsInLine(place) ? text : `\n${text}`);
    await flush(place);
  } finally {
    closeSync(place);
  }
}

function endsInLine(place: number): boolean {
  const { size } = fstatSync(place);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(place, last, 0, 1, size - 1);
  return last.toString("latin1") === "\n";
}
