import { destination, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

export type Log = Logger;

/** Maximum length of request text in the log, in UTF-16 code units. */
const longest = 200;

/** Truncates text from a request for the log. */
export const truncated = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** Returns the log fields of an error. If the thrown value is not an `Error`, only its type is logged, because it may contain secrets. */
export function errorFields(error: unknown): Readonly<Record<string, string | undefined>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error ? String(error.code) : undefined;
  return { error: error.name, code, message: truncated(error.message), stack: error.stack };
}

/**
 * Creates a logger that writes JSON lines to standard error; standard output is for the person who starts the service. Lines are buffered:
 * written every 250 ms or 2 KiB, and at exit. Writes of whole lines up to 4 KiB are atomic on a pipe, so that several processes can share it.
 *
 * @param process number of the process, if there are several
 */
export function createLog(level: Config["logLevel"], process?: number): Log {
  return pino(
    { level, base: process === undefined ? null : { process } },
    destination({ fd: 2, sync: false, minLength: 2048, maxWrite: 4096, periodicFlush: 250 }),
  );
}
