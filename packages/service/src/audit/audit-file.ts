import { type FileHandle, open } from "node:fs/promises";
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

async function appendLines(file: string, lines: readonly string[]): Promise<void> {
  const handle = await open(file, "a+", 0o600);
  try {
    if (lines.length === 0) return;
    const text = lines.join("");
    // An interrupted write leaves a torn line. It is ended first, so that the next line does not continue it.
    await handle.appendFile((await endsInLine(handle)) ? text : `\n${text}`);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function endsInLine(handle: FileHandle): Promise<boolean> {
  const { size } = await handle.stat();
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString("latin1") === "\n";
}
