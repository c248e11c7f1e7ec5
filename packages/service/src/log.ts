import { destination, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

export type Log = Logger;

/** Longest text that goes into the log from a request, in UTF-16 code units. */
const longest = 200;

/** Request text as it may stand in the log. */
export const bounded = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/** An error as it may stand in the log. */
export function describe(error: unknown): Readonly<Record<string, string | undefined>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error ? String(error.code) : undefined;
  return { error: error.name, code, message: bounded(error.message), stack: error.stack };
}

/**
 * Structured lines on standard error: standard output is for the person who starts the service. They are written some
 * at a time, and at the end.
 */
export function createLog(level: Config["logLevel"]): Log {
  return pino(
    { level, base: null },
    destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 250 }),
  );
}
