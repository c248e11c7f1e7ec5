import { existsSync } from "node:fs";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { type Fault, type FaultCode, faultReasons } from "./check-record.ts";
import type { Note } from "./notes.ts";

/** A line of the rejects file. */
export type Reject = {
  readonly line: number;
  readonly field: string | null;
  readonly code: FaultCode;
  readonly reason: string;
};

export const rejectsOf = (line: number, faults: readonly Fault[]): readonly Reject[] =>
  faults.map(({ field, code }) => ({ line, field, code, reason: faultReasons[code] }));

/** Begin a rejects file, or keep its entries for the lines up to one. */
export async function beginRejects(file: string, keptLines: number): Promise<void> {
  const kept =
    keptLines === 0 || !existsSync(file)
      ? []
      : (await readFile(file, "utf8"))
          .split("\n")
          .filter((text) => text !== "" && (JSON.parse(text) as Reject).line <= keptLines);
  await writeFile(file, kept.map((text) => `${text}\n`).join(""), { mode: 0o600 });
}

/** Appends rejects, and notes on changed records. */
export const addRejects = (file: string, told: readonly (Reject | Note)[]): Promise<void> =>
  appendFile(file, told.map((one) => `${JSON.stringify(one)}\n`).join(""));
